//! Times in transit and CPU time as a picture.

use std::error::Error;
use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::case::Case;
use crate::measure::PACE;
use crate::record::Record;

/// Width and height in pixels.
const SIZE: (u32, u32) = (1_120, 560);

/// Axes and words: readable on a light and on a dark page.
const INK: RGBColor = RGBColor(0x80, 0x80, 0x80);

/// Streams at a time whose times are drawn.
pub(crate) const STREAMS: usize = 128;

type Drawing<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// One line of a panel: the name, the points, the colour.
type Line = (&'static str, Vec<(f64, f64)>, RGBColor);

/// A panel's words, and the ranges of its axes.
struct Panel<'a> {
    title: &'a str,
    x: &'a str,
    y: &'a str,
    xs: (f64, f64),
    ys: (f64, f64),
    legend: SeriesLabelPosition,
    y_text: fn(f64) -> String,
}

const fn color(case: Case) -> RGBColor {
    match case {
        Case::Direct => INK,
        Case::Nginx => RGBColor(0x2E, 0xA0, 0x43),
        Case::Envoy => RGBColor(0xB0, 0x5C, 0xE0),
        Case::Pass => RGBColor(0x2F, 0x81, 0xF7),
        Case::Strip => RGBColor(0xD9, 0x7A, 0x1B),
        Case::Gate => RGBColor(0xD0, 0x3A, 0x3A),
        Case::Filter => RGBColor(0x1B, 0x9A, 0xAA),
        Case::Processor => RGBColor(0xC0, 0x4A, 0x9A),
        Case::LiteLlm => RGBColor(0x8A, 0x6D, 0x3B),
    }
}

/// Draws what was measured.
pub(crate) fn draw(path: &Path, record: &Record) -> Result<(), Box<dyn Error>> {
    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    let (left, right) = root.split_horizontally(SIZE.0 / 2);
    let times = Case::ALL.into_iter().filter_map(|case| {
        let mut times = record.times.iter();
        let times = times.find(|times| {
            (times.case.as_str(), times.streams, times.what.as_str())
                == (case.name(), STREAMS, "transit")
        })?;
        Some((plain(case), times.above(), color(case)))
    });
    let title = format!("Time in transit, {STREAMS} streams of {PACE} tokens a second");
    let panel_of_times = Panel {
        title: &title,
        x: "microseconds from the upstream to the client",
        y: "part of all events that take longer",
        xs: (10.0, 100_000.0),
        ys: (1e-5, 1.5),
        legend: SeriesLabelPosition::LowerLeft,
        y_text: |part| format!("{} %", (part * 1e7).round() / 1e5),
    };
    panel(&left, &panel_of_times, &times.collect::<Vec<Line>>())?;
    let cpu = Case::ALL.into_iter().filter_map(|case| {
        let rows = record.rows.iter().filter(|row| {
            row.text("case") == case.name() && row.number("tokens_a_second") == Some(PACE as f64)
        });
        let points = rows.filter_map(|row| Some((row.number("streams")?, row.cpu_an_event()?)));
        let points: Vec<(f64, f64)> = points.collect();
        (!points.is_empty()).then(|| (plain(case), points, color(case)))
    });
    let panel_of_cpu = Panel {
        title: "CPU time of the proxy for an event",
        x: "streams at a time",
        y: "microseconds",
        xs: (10.0, 2_000.0),
        ys: (3.0, 3_000.0),
        legend: SeriesLabelPosition::UpperRight,
        y_text: |time| format!("{time}"),
    };
    panel(&right, &panel_of_cpu, &cpu.collect::<Vec<Line>>())?;
    root.present()?;
    Ok(())
}

/// The name without marks of code.
const fn plain(case: Case) -> &'static str {
    match case {
        Case::Pass => "provstream, pass",
        Case::Strip => "provstream, strip",
        Case::Gate => "provstream, gate",
        Case::Filter => "Envoy, filter",
        Case::Processor => "Envoy, external processor",
        _ => case.label(),
    }
}

/// Lines over axes that are both logarithmic.
fn panel(area: &Drawing<'_>, panel: &Panel<'_>, lines: &[Line]) -> Result<(), Box<dyn Error>> {
    let font = |size: u32| ("sans-serif", size).into_font().color(&INK);
    let ((x_from, x_to), (y_from, y_to)) = (panel.xs, panel.ys);
    let mut chart = ChartBuilder::on(area)
        .caption(panel.title, font(18))
        .margin(14)
        .x_label_area_size(48)
        .y_label_area_size(72)
        .build_cartesian_2d((x_from..x_to).log_scale(), (y_from..y_to).log_scale())?;
    chart
        .configure_mesh()
        .axis_style(INK)
        .bold_line_style(INK.mix(0.35))
        .light_line_style(TRANSPARENT)
        .label_style(font(13))
        .axis_desc_style(font(14))
        .x_desc(panel.x)
        .y_desc(panel.y)
        .x_label_formatter(&|value| format!("{value}"))
        .y_label_formatter(&|value| (panel.y_text)(*value))
        .draw()?;
    for (name, points, color) in lines {
        let color = *color;
        let inside = |(x, y): &(f64, f64)| (x.clamp(x_from, x_to), y.clamp(y_from, y_to));
        let points: Vec<(f64, f64)> = points.iter().map(inside).collect();
        let marks = points.iter().filter(|_| points.len() < 10);
        chart.draw_series(marks.map(|point| Circle::new(*point, 3, color.filled())))?;
        chart
            .draw_series(LineSeries::new(points.clone(), color.stroke_width(2)))?
            .label(*name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .position(panel.legend.clone())
        .label_font(font(12))
        .draw()?;
    Ok(())
}
