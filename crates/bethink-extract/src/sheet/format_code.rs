//! The code of a number format, taken apart: sections, and the tokens that they are made of.

/// How a section's condition compares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Comparison {
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
    GreaterOrEqual,
    Greater,
}

impl Comparison {
    /// Whether a value stands so to a limit.
    pub(super) fn holds(self, value: f64, limit: f64) -> bool {
        match self {
            Self::Less => value < limit,
            Self::LessOrEqual => value <= limit,
            Self::Equal => value == limit,
            Self::NotEqual => value != limit,
            Self::GreaterOrEqual => value >= limit,
            Self::Greater => value > limit,
        }
    }
}

/// What a section is made of.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Literal(char),
    /// `0`, `#` or `?`.
    Digit(char),
    Point,
    Comma,
    Percent,
    Slash,
    Exponent,
    General,
    /// A run of one letter of dates.
    Date(char, usize),
    Elapsed(char),
    HalfDay,
    Text,
}

/// The code's sections: `;` inside quotes, brackets and behind a backslash separates nothing.
pub(super) fn sections(code: &[char]) -> Vec<Vec<char>> {
    let mut sections = vec![Vec::new()];
    let (mut quoted, mut bracketed, mut escaped) = (false, false, false);
    for character in code {
        let literal = quoted || bracketed || escaped;
        if *character == ';' && !literal {
            sections.push(Vec::new());
            continue;
        }
        match character {
            '"' if !escaped && !bracketed => quoted = !quoted,
            '[' if !literal => bracketed = true,
            ']' if bracketed => bracketed = false,
            _ => {}
        }
        escaped = *character == '\\' && !literal;
        if let Some(section) = sections.last_mut() {
            section.push(*character);
        }
    }
    sections
}

/// The tokens of a section; its condition goes into its own place.
pub(super) fn tokens(code: &[char], condition: &mut Option<(Comparison, f64)>) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    let word_at = |at: usize, word: &str| {
        let length = word.chars().count();
        code.get(at..at + length).is_some_and(|part| part.iter().collect::<String>().eq_ignore_ascii_case(word))
    };
    while let Some(character) = code.get(at).copied() {
        at += 1;
        match character {
            '"' => {
                while let Some(inner) = code.get(at).copied() {
                    at += 1;
                    if inner == '"' {
                        break;
                    }
                    tokens.push(Token::Literal(inner));
                }
            }
            '\\' => {
                tokens.extend(code.get(at).map(|inner| Token::Literal(*inner)));
                at += 1;
            }
            // A space as wide as the next character, and a character that fills the cell.
            '_' | '*' => {
                if character == '_' {
                    tokens.push(Token::Literal(' '));
                }
                at += 1;
            }
            '[' => {
                let length = code[at..].iter().take_while(|inner| **inner != ']').count();
                let inner: String = code[at..at + length].iter().collect();
                at += length + 1;
                bracket(&inner, &mut tokens, condition);
            }
            '0' | '#' | '?' => tokens.push(Token::Digit(character)),
            '.' => tokens.push(Token::Point),
            ',' => tokens.push(Token::Comma),
            '%' => tokens.push(Token::Percent),
            '/' => tokens.push(Token::Slash),
            '@' => tokens.push(Token::Text),
            'E' | 'e' if matches!(code.get(at), Some('+' | '-')) => {
                tokens.push(Token::Exponent);
                at += 1;
            }
            'G' | 'g' if word_at(at - 1, "General") => {
                tokens.push(Token::General);
                at += "General".len() - 1;
            }
            'S' | 's' if word_at(at - 1, "Standard") => {
                tokens.push(Token::General);
                at += "Standard".len() - 1;
            }
            'A' | 'a' if word_at(at - 1, "AM/PM") => {
                tokens.push(Token::HalfDay);
                at += 4;
            }
            'A' | 'a' if word_at(at - 1, "A/P") => {
                tokens.push(Token::HalfDay);
                at += 2;
            }
            letter if matches!(letter.to_ascii_lowercase(), 'y' | 'm' | 'd' | 'h' | 's' | 'e' | 'g') => {
                let lower = letter.to_ascii_lowercase();
                let run = 1 + code[at..].iter().take_while(|next| next.to_ascii_lowercase() == lower).count();
                at += run - 1;
                tokens.push(Token::Date(lower, run));
            }
            other => tokens.push(Token::Literal(other)),
        }
    }
    tokens
}

/// What stands in brackets: a currency with its locale, a condition, a count of time, a colour.
fn bracket(inner: &str, tokens: &mut Vec<Token>, condition: &mut Option<(Comparison, f64)>) {
    if let Some(currency) = inner.strip_prefix('$') {
        let symbol = currency.split('-').next().unwrap_or_default();
        tokens.extend(symbol.chars().map(Token::Literal));
        return;
    }
    const COMPARISONS: [(&str, Comparison); 6] = [
        ("<=", Comparison::LessOrEqual),
        (">=", Comparison::GreaterOrEqual),
        ("<>", Comparison::NotEqual),
        ("<", Comparison::Less),
        (">", Comparison::Greater),
        ("=", Comparison::Equal),
    ];
    for (sign, comparison) in COMPARISONS {
        if let Some(limit) = inner.strip_prefix(sign).and_then(|limit| limit.trim().parse().ok()) {
            *condition = Some((comparison, limit));
            return;
        }
    }
    let lower = inner.to_ascii_lowercase();
    if let Some(first) = lower.chars().next()
        && matches!(first, 'h' | 'm' | 's')
        && lower.chars().all(|character| character == first)
    {
        tokens.push(Token::Elapsed(first));
    }
}
