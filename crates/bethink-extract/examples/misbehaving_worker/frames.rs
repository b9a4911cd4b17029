//! Answers written by hand, byte for byte as the protocol is documented, and against its rules.

use std::io::{self, Read, Write};
use std::process::ExitCode;

/// Serves requests whose bodies are sample PDFs, each by the order in it.
pub fn serve() -> ExitCode {
    match answer_all() {
        // The parent hangs up on whoever breaks the rules.
        Ok(()) | Err(_) => ExitCode::SUCCESS,
    }
}

fn answer_all() -> io::Result<()> {
    let mut requests = io::stdin().lock().bytes();
    let mut answers = Answers(io::stdout().lock());
    loop {
        let mut request = Vec::new();
        while !request.ends_with(b"%%EOF\n") {
            request.push(requests.next().ok_or(io::ErrorKind::UnexpectedEof)??);
        }
        let body_at = request.windows(5).position(|window| window == b"%PDF-").unwrap_or(0);
        let body = &request[body_at..];
        answers.answer(super::order(body).unwrap_or_default(), body)?;
        answers.0.flush()?;
    }
}

struct Answers<W>(W);

impl<W: Write> Answers<W> {
    fn answer(&mut self, order: &str, body: &[u8]) -> io::Result<()> {
        match order {
            "members" => {
                self.member("one.txt", b"the first member")?;
                self.member("inner/two.txt", b"the second member")?;
                self.frame(b'X', b"text of its own\n")?;
                self.member("three.txt", b"the third member")?;
            }
            "endless" => {
                for number in 0_u64.. {
                    self.member(&format!("{number}.txt"), format!("member {number}").as_bytes())?;
                }
            }
            "large" => {
                self.member("small.txt", b"small")?;
                self.begin("large.txt")?;
                loop {
                    self.frame(b'D', &[b'a'; 1 << 10])?;
                }
            }
            "torn" => {
                self.member("whole.txt", b"whole")?;
                self.begin("torn.txt")?;
                self.frame(b'D', b"half of")?;
            }
            "inside" => {
                self.member("whole.txt", b"whole")?;
                self.begin("outer.txt")?;
                self.begin("inner.txt")?;
            }
            "unbegun" => {
                self.member("whole.txt", b"whole")?;
                self.frame(b'D', b"of what?")?;
            }
            "nameless" => {
                self.member("whole.txt", b"whole")?;
                self.frame(b'N', b"short")?;
            }
            "die" => {
                self.frame(b'X', b"text before\n")?;
                self.member("whole.txt", b"whole")?;
                self.begin("half.txt")?;
                self.frame(b'D', b"half of")?;
                self.0.flush()?;
                std::process::abort();
            }
            "hang" => {
                self.member("whole.txt", b"whole")?;
                self.begin("half.txt")?;
                self.0.flush()?;
                loop {
                    std::thread::park();
                }
            }
            // A member that is this very file.
            "doll" => self.member("doll.pdf", body)?,
            "dolls" => {
                self.frame(b'X', b"dolls\n")?;
                for number in 0..10 {
                    self.member(&format!("{number}.pdf"), body)?;
                }
            }
            // Members that end their reader.
            "mines" => {
                let mine = String::from_utf8_lossy(body).replace("%do mines", "%do die");
                self.frame(b'X', b"mines\n")?;
                for number in 0..100 {
                    self.member(&format!("{number}.pdf"), mine.as_bytes())?;
                }
            }
            other => self.frame(b'X', format!("there is no order {other}").as_bytes())?,
        }
        self.frame(b'R', &[])
    }

    fn member(&mut self, path: &str, bytes: &[u8]) -> io::Result<()> {
        self.begin(path)?;
        self.frame(b'D', bytes)?;
        self.frame(b'E', &[])
    }

    fn begin(&mut self, path: &str) -> io::Result<()> {
        let mut payload = i64::MIN.to_le_bytes().to_vec();
        payload.extend(path.bytes());
        self.frame(b'N', &payload)
    }

    fn frame(&mut self, tag: u8, payload: &[u8]) -> io::Result<()> {
        self.0.write_all(&[tag])?;
        self.0.write_all(&u32::try_from(payload.len()).map_err(|_| io::ErrorKind::InvalidInput)?.to_le_bytes())?;
        self.0.write_all(payload)
    }
}
