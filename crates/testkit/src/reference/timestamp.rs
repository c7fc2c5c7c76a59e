//! Strict validation of RFC 3339 date-times.

/// Returns `true` if `text` is a valid date-time; a leap second is valid only at the end of a
/// month.
pub(super) fn is_date_time(text: &str) -> bool {
    read(text.as_bytes()).is_some()
}

/// Reads a date-time; returns `None` if it is invalid.
fn read(text: &[u8]) -> Option<()> {
    let (date, rest) = text.split_at_checked(10)?;
    let (year, month, day) = (
        number(&date[..4])?,
        number(&date[5..7])?,
        number(&date[8..])?,
    );
    let dashes = date[4] == b'-' && date[7] == b'-';
    if !dashes || !(1..=12).contains(&month) || day < 1 || day > days(year, month) {
        return None;
    }

    let (time, mut rest) = rest.split_at_checked(9)?;
    let (hour, minute, second) = (
        number(&time[1..3])?,
        number(&time[4..6])?,
        number(&time[7..])?,
    );
    let marks = matches!(time[0], b'T' | b't') && time[3] == b':' && time[6] == b':';
    if !marks || hour > 23 || minute > 59 || second > 60 {
        return None;
    }

    if let Some(fraction) = rest.strip_prefix(b".") {
        let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit());
        let digits = digits.count();
        if digits == 0 {
            return None;
        }
        rest = &fraction[digits..];
    }

    let offset = match rest {
        b"Z" | b"z" => 0,
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let (hours, minutes) = (number(&[*h1, *h2])?, number(&[*m1, *m2])?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            let minutes = hours * 60 + minutes;
            if *sign == b'+' { minutes } else { -minutes }
        }
        _ => return None,
    };

    (second < 60 || is_leap_minute(year, month, day, hour * 60 + minute - offset)).then_some(())
}

/// Returns `true` if a minute, counted in UTC from midnight of the local date, is the last one of a
/// month.
fn is_leap_minute(year: i32, month: i32, day: i32, minute: i32) -> bool {
    const DAY: i32 = 24 * 60;
    let last_day = match minute.div_euclid(DAY) {
        // The UTC date is the day before, the same, or the day after.
        -1 => day == 1,
        0 => day == days(year, month),
        _ => day + 1 == days(year, month),
    };
    last_day && minute.rem_euclid(DAY) == DAY - 1
}

/// Number of days in a month.
fn days(year: i32, month: i32) -> i32 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Parses a number that consists of digits only.
fn number(digits: &[u8]) -> Option<i32> {
    digits.iter().try_fold(0, |number, digit| {
        let digit = digit.is_ascii_digit().then(|| digit - b'0')?;
        Some(number * 10 + i32::from(digit))
    })
}
