//! `AlternateContent`: the same content for newer and for older programs, of which one is read.

/// The alternatives that are open around the reader.
#[derive(Debug, Default)]
pub(super) struct Alternates {
    /// For each: whether one of its choices was taken.
    taken: Vec<bool>,
}

impl Alternates {
    /// An element opens. True: it repeats what was read and is to be skipped.
    pub(super) fn opens(&mut self, name: &str) -> bool {
        match name {
            "AlternateContent" => self.taken.push(false),
            "Choice" | "Fallback" => {
                if let Some(taken) = self.taken.last_mut() {
                    return std::mem::replace(taken, true);
                }
            }
            _ => {}
        }
        false
    }

    /// An element closes.
    pub(super) fn closes(&mut self, name: &str) {
        if name == "AlternateContent" {
            self.taken.pop();
        }
    }
}
