//! Number formats of spreadsheets: how a stored number looks in its cell.
//!
//! A format is up to four sections apart by `;` (positive, negative, zero, text), each of placeholders (`0 # ?`),
//! literals and codes. Numbers are shown as the format says, with the separators of English. Dates are not: the
//! cell's own order of day and month is anybody's guess to a reader, so they come as ISO dates. A format that
//! makes no sense shows the number plainly.

use super::format_code::{Comparison, Token, sections, tokens};
use super::serial_date::{self, Epoch};

/// Decimals shown at most; a format may ask for thirty, a number has seventeen digits.
const MOST_DECIMALS: usize = 15;

/// Longest format that is read, in characters; Excel's own limit is 255.
const MOST_CODE: usize = 1024;

/// A format, ready to be applied.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NumberFormat {
    sections: Vec<Section>,
}

#[derive(Debug, Clone, PartialEq)]
struct Section {
    condition: Option<(Comparison, f64)>,
    shape: Shape,
}

#[derive(Debug, Clone, PartialEq)]
enum Shape {
    General {
        before: String,
        after: String,
    },
    Date(DateShape),
    Number(NumberShape),
    /// Nothing but literals: a zero shown as a dash.
    Literal(String),
}

/// Which parts of a date a format shows.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct DateShape {
    pub(super) year: bool,
    pub(super) month: bool,
    pub(super) day: bool,
    /// The month in letters and nothing else.
    pub(super) month_name: bool,
    /// The day of the week and nothing else.
    pub(super) weekday: bool,
    pub(super) hours: bool,
    pub(super) minutes: bool,
    pub(super) seconds: bool,
    /// Hours, minutes or seconds that count on past their usual end.
    pub(super) elapsed: bool,
}

#[derive(Debug, Clone, PartialEq, Default)]
struct NumberShape {
    before: String,
    after: String,
    /// Digits before the point that are shown though they are zero.
    least_whole: usize,
    /// Digits after the point that are shown though they are zero.
    least_decimals: usize,
    most_decimals: usize,
    thousands: bool,
    /// Powers of a thousand that the number is divided by.
    divisions: i32,
    percents: i32,
    exponent: bool,
    /// Digits of the denominator of a fraction, or the denominator itself.
    fraction: Option<Denominator>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Denominator {
    UpTo(u32),
    Exactly(u32),
}

impl NumberFormat {
    /// The format that a code describes.
    pub(super) fn parse(code: &str) -> Self {
        let code: Vec<char> = code.chars().take(MOST_CODE).collect();
        let sections = sections(&code).into_iter().take(4).map(|section| parse_section(&section)).collect();
        Self { sections }
    }

    /// The format of a number that is the same in every workbook; locales agree on what is shown, not on how.
    pub(super) fn built_in(number: u32) -> Self {
        Self::parse(match number {
            1 => "0",
            2 => "0.00",
            3 | 5 | 6 | 37 | 38 | 41 | 42 => "#,##0",
            4 | 7 | 8 | 39 | 40 | 43 | 44 => "#,##0.00",
            9 => "0%",
            10 => "0.00%",
            11 => "0.00E+00",
            12 => "# ?/?",
            13 => "# ??/??",
            14..=16 | 27..=31 | 36 | 50..=54 | 57 | 58 => "yyyy-mm-dd",
            17 | 55 | 56 => "yyyy-mm",
            18 | 20 | 32 | 34 => "h:mm",
            19 | 21 | 33 | 35 => "h:mm:ss",
            22 => "yyyy-mm-dd h:mm",
            45 | 47 => "mm:ss",
            46 => "[h]:mm:ss",
            48 => "##0.0E+0",
            _ => "General",
        })
    }

    /// The number as its cell shows it.
    pub(super) fn show(&self, value: f64, epoch: Epoch) -> String {
        let Some((section, is_negative_section)) = self.section(value) else { return general(value) };
        match &section.shape {
            Shape::General { before, after } => {
                let shown = general(if is_negative_section { value.abs() } else { value });
                format!("{before}{shown}{after}")
            }
            Shape::Date(shape) => serial_date::show(value, *shape, epoch).unwrap_or_else(|| general(value)),
            Shape::Number(shape) => shape.show(if is_negative_section { value.abs() } else { value }),
            Shape::Literal(words) => words.clone(),
        }
    }

    /// The section for a value, and whether the section itself says that the value is negative.
    fn section(&self, value: f64) -> Option<(&Section, bool)> {
        if self.sections.iter().any(|section| section.condition.is_some()) {
            let fits =
                |section: &&Section| section.condition.is_none_or(|condition| condition.0.holds(value, condition.1));
            return self.sections.iter().take(3).find(fits).map(|section| (section, false));
        }
        let position = match (self.sections.len(), value) {
            (2.., value) if value < 0.0 => 1,
            (3.., 0.0) => 2,
            _ => 0,
        };
        self.sections.get(position).map(|section| (section, position == 1))
    }
}

fn parse_section(code: &[char]) -> Section {
    let mut condition = None;
    let tokens = tokens(code, &mut condition);
    let is_date = tokens.iter().any(|token| matches!(token, Token::Date(..) | Token::Elapsed(_)));
    let has = |wanted: &Token| tokens.contains(wanted);
    let has_digits = tokens.iter().any(|token| matches!(token, Token::Digit(_)));
    let shape = if is_date {
        Shape::Date(date_shape(&tokens))
    } else if has_digits {
        Shape::Number(number_shape(&tokens))
    } else if has(&Token::General) || has(&Token::Text) || tokens.is_empty() {
        let at = tokens.iter().position(|token| matches!(token, Token::General | Token::Text)).unwrap_or(0);
        let literals = |tokens: &[Token]| tokens.iter().filter_map(literal).collect::<String>();
        Shape::General { before: literals(&tokens[..at]), after: literals(&tokens[at..]) }
    } else {
        Shape::Literal(tokens.iter().filter_map(literal).collect())
    };
    Section { condition, shape }
}

fn literal(token: &Token) -> Option<char> {
    match token {
        Token::Literal(character) => Some(*character),
        Token::Percent => Some('%'),
        Token::Slash => Some('/'),
        Token::Comma => Some(','),
        Token::Point => Some('.'),
        _ => None,
    }
}

fn date_shape(tokens: &[Token]) -> DateShape {
    let mut shape = DateShape::default();
    let mut letters: Vec<(char, usize)> = Vec::new();
    for token in tokens {
        match token {
            Token::Date(letter, run) => letters.push((*letter, *run)),
            Token::Elapsed(letter) => {
                shape.elapsed = true;
                // Capitals tell counts of time from its parts below.
                letters.push((letter.to_ascii_uppercase(), 1));
            }
            _ => {}
        }
    }
    let (mut names, mut weekdays) = (0, 0);
    for (position, (letter, run)) in letters.iter().enumerate() {
        match letter {
            'y' | 'e' | 'g' => shape.year = true,
            'd' if *run >= 3 => weekdays += 1,
            'd' => shape.day = true,
            'h' | 'H' => shape.hours = true,
            's' | 'S' => shape.seconds = true,
            'M' => shape.minutes = true,
            // Minutes stand behind hours or before seconds, months anywhere else.
            _ => {
                let after_hours = position.checked_sub(1).is_some_and(|before| matches!(letters[before].0, 'h' | 'H'));
                let before_seconds = letters.get(position + 1).is_some_and(|(next, _)| *next == 's');
                if *run <= 2 && (after_hours || before_seconds) {
                    shape.minutes = true;
                } else {
                    shape.month = true;
                    names += usize::from(*run >= 3);
                }
            }
        }
    }
    shape.month_name = names == 1 && letters.len() == 1;
    shape.weekday = weekdays == 1 && letters.len() == 1;
    shape
}

fn number_shape(tokens: &[Token]) -> NumberShape {
    let mut shape = NumberShape::default();
    let is_digit = |token: &Token| matches!(token, Token::Digit(_));
    let first = tokens.iter().position(is_digit).unwrap_or(0);
    let last = tokens.iter().rposition(is_digit).unwrap_or(0);
    // A leading point has no digit before it.
    let first = if first > 0 && tokens[first - 1] == Token::Point { first - 1 } else { first };
    shape.before = tokens[..first].iter().filter_map(literal).collect();
    shape.after = tokens[last + 1..].iter().filter(|token| **token != Token::Comma).filter_map(literal).collect();
    shape.percents = tokens.iter().filter(|token| **token == Token::Percent).count().min(4) as i32;
    let commas = tokens[last + 1..].iter().take_while(|token| **token == Token::Comma).count();
    shape.divisions = commas.min(8) as i32;
    let core = &tokens[first..=last];
    shape.exponent = core.contains(&Token::Exponent);
    if let Some(slash) = core.iter().position(|token| *token == Token::Slash) {
        shape.fraction = Some(denominator(&core[slash + 1..]));
        return shape;
    }
    let mut after_point = false;
    for (position, token) in core.iter().enumerate() {
        match token {
            Token::Point => after_point = true,
            Token::Exponent => break,
            Token::Comma if !after_point && core[position + 1..].iter().any(is_digit) => shape.thousands = true,
            Token::Digit(digit) if after_point => {
                shape.most_decimals = (shape.most_decimals + 1).min(MOST_DECIMALS);
                if *digit == '0' {
                    shape.least_decimals = shape.most_decimals;
                }
            }
            Token::Digit('0') => shape.least_whole = (shape.least_whole + 1).min(32),
            _ => {}
        }
    }
    // Literals between digits, as in telephone numbers, cannot be kept without knowing which digit is which;
    // the digits themselves are.
    shape
}

/// The denominator that a fraction's format asks for.
fn denominator(tokens: &[Token]) -> Denominator {
    let digits: String = tokens
        .iter()
        .map_while(|token| match token {
            Token::Digit(digit) => Some(*digit),
            Token::Literal(digit) if digit.is_ascii_digit() => Some(*digit),
            _ => None,
        })
        .collect();
    match digits.parse() {
        Ok(exactly @ 1..) => Denominator::Exactly(exactly),
        _ => Denominator::UpTo(10u32.pow(digits.len().clamp(1, 3) as u32) - 1),
    }
}

impl NumberShape {
    fn show(&self, value: f64) -> String {
        let scaled = value * 100f64.powi(self.percents) / 1000f64.powi(self.divisions);
        if !scaled.is_finite() {
            return general(value);
        }
        let magnitude = scaled.abs();
        let digits = if let Some(denominator) = self.fraction {
            fraction(magnitude, denominator)
        } else if self.exponent {
            self.scientific(magnitude)
        } else {
            self.plain(magnitude)
        };
        // What rounds to zero has no sign.
        let sign = if scaled < 0.0 && digits.contains(|digit: char| digit.is_ascii_digit() && digit != '0') {
            "-"
        } else {
            ""
        };
        format!("{sign}{}{digits}{}", self.before, self.after).trim().to_owned()
    }

    fn plain(&self, magnitude: f64) -> String {
        let rounded = fixed(magnitude, self.most_decimals);
        let (whole, decimals) = rounded.split_once('.').unwrap_or((&rounded, ""));
        let mut whole = if whole == "0" && self.least_whole == 0 { String::new() } else { whole.to_owned() };
        while whole.len() < self.least_whole {
            whole.insert(0, '0');
        }
        if self.thousands {
            whole = with_thousands(&whole);
        }
        let mut decimals = decimals;
        while decimals.len() > self.least_decimals && decimals.ends_with('0') {
            decimals = &decimals[..decimals.len() - 1];
        }
        match (whole.is_empty(), decimals.is_empty()) {
            (true, true) => String::new(),
            (_, true) => whole,
            _ => format!("{whole}.{decimals}"),
        }
    }

    fn scientific(&self, magnitude: f64) -> String {
        let shown = format!("{magnitude:.*e}", self.most_decimals);
        let (digits, exponent) = shown.split_once('e').unwrap_or((&shown, "0"));
        let (sign, exponent) = match exponent.strip_prefix('-') {
            Some(exponent) => ('-', exponent),
            None => ('+', exponent),
        };
        format!("{digits}E{sign}{exponent:0>2}")
    }
}

fn with_thousands(digits: &str) -> String {
    let mut shown = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// A number as a whole and a fraction: `2 1/3`.
fn fraction(magnitude: f64, denominator: Denominator) -> String {
    if magnitude > 1e12 {
        return general(magnitude);
    }
    let (mut whole, part) = (magnitude.trunc() as u64, magnitude.fract());
    let (mut above, mut below) = match denominator {
        Denominator::Exactly(below) => ((part * f64::from(below)).round() as u64, u64::from(below)),
        Denominator::UpTo(most) => {
            let apart = |below: u32| (part - (part * f64::from(below)).round() / f64::from(below)).abs();
            // The smallest denominator wins where two come as near.
            let mut below = 1;
            for other in 2..=most {
                if apart(other) < apart(below) - 1e-12 {
                    below = other;
                }
            }
            ((part * f64::from(below)).round() as u64, u64::from(below))
        }
    };
    if above == below {
        (whole, above, below) = (whole + 1, 0, 1);
    }
    match (whole, above) {
        (_, 0) => whole.to_string(),
        (0, _) => format!("{above}/{below}"),
        _ => format!("{whole} {above}/{below}"),
    }
}

/// A number rounded to so many decimals, the way a person rounds: 2.675, stored a little below, gives 2.68.
fn fixed(magnitude: f64, decimals: usize) -> String {
    // Fifteen digits are what a cell holds; the seventeenth decides nothing.
    let nudged = magnitude * (1.0 + f64::EPSILON);
    format!("{nudged:.decimals$}")
}

/// A number without a format: up to fifteen digits, as the cell's own editor shows it.
pub(super) fn general(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !value.is_finite() {
        return "#NUM!".to_owned();
    }
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return format!("{value:.0}");
    }
    let exponent = value.abs().log10().floor();
    if !(-9.0..15.0).contains(&exponent) {
        let shown = format!("{value:.14e}");
        let (digits, power) = shown.split_once('e').unwrap_or((&shown, "0"));
        let digits = trimmed(digits);
        let (sign, power) = match power.strip_prefix('-') {
            Some(power) => ('-', power),
            None => ('+', power),
        };
        return format!("{digits}E{sign}{power:0>2}");
    }
    // The exponent lies between -9 and 14, so this lies between 0 and 23.
    let decimals = (14.0 - exponent) as usize;
    trimmed(&format!("{value:.decimals$}")).to_owned()
}

fn trimmed(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(code: &str, value: f64) -> String {
        NumberFormat::parse(code).show(value, Epoch::Windows)
    }

    #[test]
    fn numbers_look_as_their_format_says() {
        let cases = [
            ("General", 1234.5, "1234.5"),
            ("", 12.0, "12"),
            ("0", 1234.5, "1235"),
            ("0.00", -3.456, "-3.46"),
            ("#,##0.00", 1_234_567.891, "1,234,567.89"),
            ("#,##0", 999.0, "999"),
            ("0%", 0.42, "42%"),
            ("0.0#%", 0.4256, "42.56%"),
            ("#.##", 0.5, ".5"),
            ("00000", 42.0, "00042"),
            ("#,##0,", 1_234_567.0, "1,235"),
            ("0.0,,\"M\"", 2_500_000.0, "2.5M"),
            ("0.00E+00", 12345.0, "1.23E+04"),
            ("# ?/?", 2.5, "2 1/2"),
            ("# ??/??", 0.3333333333, "1/3"),
            ("[$€-407] #,##0.00", 5.0, "€ 5.00"),
            ("#,##0.00 \"kg\"", 5.0, "5.00 kg"),
            ("#,##0.00_);(#,##0.00)", -5.0, "(5.00)"),
            ("0.00;[Red]-0.00", -5.0, "-5.00"),
            ("0;-0;\"-\"", 0.0, "-"),
            ("[>=100]\"many\";\"few\"", 7.0, "few"),
            ("[>=100]\"many\";\"few\"", 100.0, "many"),
            ("0.0", -0.04, "0.0"),
            ("0.00", 2.675, "2.68"),
            ("@", 7.0, "7"),
            ("Standard", 7.5, "7.5"),
            ("\\#0", 7.0, "#7"),
            ("[", 7.0, "7"),
            ("\"", 7.0, "7"),
        ];
        for (code, value, wanted) in cases {
            assert_eq!(shown(code, value), wanted, "{code} of {value}");
        }
    }

    #[test]
    fn dates_are_iso_whatever_their_format() {
        let cases = [
            ("d/m/yyyy", 40_958.0, "2012-02-19"),
            ("mm-dd-yy", 40_958.0, "2012-02-19"),
            ("[$-409]dddd, mmmm dd, yyyy", 40_958.0, "2012-02-19"),
            ("yyyy\\-mm\\-dd hh:mm:ss", 40_958.697, "2012-02-19 16:43:41"),
            ("h:mm AM/PM", 0.697, "16:43"),
            ("mm:ss.0", 0.0038, "05:28"),
            ("[h]:mm:ss", 1.5, "36:00:00"),
            ("[mm]:ss", 0.5, "720:00"),
            ("mmm-yy", 40_958.0, "2012-02"),
            ("mmmm", 40_958.0, "February"),
            ("dddd", 40_958.0, "Sunday"),
            ("yyyy", 40_958.0, "2012"),
            ("d/m/yyyy", -5.0, "-5"),
            ("d/m/yyyy", 1e300, "1E+300"),
        ];
        for (code, value, wanted) in cases {
            assert_eq!(shown(code, value), wanted, "{code} of {value}");
        }
        assert_eq!(NumberFormat::built_in(14).show(1.0, Epoch::Windows), "1900-01-01");
        assert_eq!(NumberFormat::built_in(14).show(61.0, Epoch::Windows), "1900-03-01");
        assert_eq!(NumberFormat::built_in(14).show(0.0, Epoch::Macintosh), "1904-01-01");
    }

    #[test]
    fn plain_numbers_carry_no_noise_of_their_storage() {
        let cases = [
            (0.1 + 0.2, "0.3"),
            (1e15, "1E+15"),
            (123_456_789_012.5, "123456789012.5"),
            (1e-10, "1E-10"),
            (-0.0, "0"),
            (f64::NAN, "#NUM!"),
            (1.0 / 3.0, "0.333333333333333"),
        ];
        for (value, wanted) in cases {
            assert_eq!(general(value), wanted);
        }
    }
}
