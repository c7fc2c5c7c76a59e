//! The latency view as a picture.

use std::error::Error;
use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::latency::{Distribution, Latency};

/// Width and height in pixels.
const SIZE: (u32, u32) = (1_120, 520);

/// Axes and words: readable on a light and on a dark page.
const INK: RGBColor = RGBColor(0x80, 0x80, 0x80);

/// The lines, in the order of the streams; the clock has the ink's colour.
const COLORS: [RGBColor; 4] = [
    RGBColor(0x2F, 0x81, 0xF7),
    RGBColor(0xD9, 0x7A, 0x1B),
    RGBColor(0x2E, 0xA0, 0x43),
    RGBColor(0xB0, 0x5C, 0xE0),
];

type Drawing<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// One line of a panel.
struct Line<'a> {
    name: &'a str,
    values: &'a Distribution,
    color: RGBColor,
}

/// Draws how long pushes take and how much they hold.
pub(crate) fn draw(
    path: &Path,
    clock: &Latency,
    streams: &[Latency],
) -> Result<(), Box<dyn Error>> {
    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    let (left, right) = root.split_horizontally(SIZE.0 / 2);
    let alone = Line {
        name: clock.name,
        values: &clock.least,
        color: INK,
    };
    let lines = |pick: fn(&Latency) -> &Distribution| {
        let colored = streams.iter().zip(COLORS);
        colored.map(move |(stream, color)| Line {
            name: stream.name,
            values: pick(stream),
            color,
        })
    };
    let times: Vec<Line<'_>> = std::iter::once(alone)
        .chain(lines(|stream| &stream.least))
        .collect();
    panel(
        &left,
        "Time of one push of 4 bytes",
        "nanoseconds, least of all passes, the clock included",
        10.0,
        SeriesLabelPosition::UpperRight,
        &times,
    )?;
    let held: Vec<Line<'_>> = lines(|stream| &stream.held).collect();
    panel(
        &right,
        "Bytes held back after a push",
        "bytes",
        1.0,
        SeriesLabelPosition::LowerLeft,
        &held,
    )?;
    root.present()?;
    Ok(())
}

/// The part of all pushes that come to at least a value, over the values from `from` on; both axes logarithmic.
#[expect(clippy::too_many_arguments, reason = "what a panel is drawn from")]
fn panel(
    area: &Drawing<'_>,
    title: &str,
    unit: &str,
    from: f64,
    legend: SeriesLabelPosition,
    lines: &[Line<'_>],
) -> Result<(), Box<dyn Error>> {
    let font = |size: u32| ("sans-serif", size).into_font().color(&INK);
    let most = lines.iter().map(|line| line.values.quantile(1.0)).max();
    let most = f64::from(most.flatten().unwrap_or(1)).max(10.0 * from) * 1.5;
    let mut chart = ChartBuilder::on(area)
        .caption(title, font(20))
        .margin(14)
        .x_label_area_size(48)
        .y_label_area_size(64)
        .build_cartesian_2d((from..most).log_scale(), (1e-6..1.5).log_scale())?;
    chart
        .configure_mesh()
        .axis_style(INK)
        .bold_line_style(INK.mix(0.35))
        .light_line_style(TRANSPARENT)
        .label_style(font(13))
        .axis_desc_style(font(14))
        .x_desc(unit)
        .y_desc("part of all pushes that come to at least this")
        .x_label_formatter(&|value| format!("{value}"))
        .y_label_formatter(&|part| percent(*part))
        .draw()?;
    for line in lines {
        let color = line.color;
        chart
            .draw_series(LineSeries::new(
                steps(line.values, from),
                color.stroke_width(2),
            ))?
            .label(line.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .position(legend)
        .label_font(font(13))
        .draw()?;
    Ok(())
}

/// A part of all, as a percentage.
fn percent(part: f64) -> String {
    format!("{} %", (part * 1e8).round() / 1e6)
}

/// The corners of the staircase. Values below `from` are left of the picture.
fn steps(values: &Distribution, from: f64) -> Vec<(f64, f64)> {
    let mut corners = Vec::new();
    let mut before = from;
    for (value, part) in values.at_least() {
        let value = f64::from(value);
        if value >= from {
            corners.extend([(before, part), (value, part)]);
            before = value;
        }
    }
    corners.push((before, 1e-6));
    corners
}
