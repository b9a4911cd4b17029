//! Why a file is in the index, or not, and what is wrong.

use std::path::{Path, PathBuf};

use bethink_extract::confinement;
use bethink_index::{Lexicon, Matrix};
use bethink_ingest::{Caches, container_on_disk};
use bethink_store::sqlite::SqliteIndexReader;
use bethink_store::{IndexReader, Outcome, RootState};

use crate::engine::Engine;
use crate::error::Result;
use crate::status::NO_MODEL;

/// A file that could not be read, or has no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// The file.
    pub path: PathBuf,
    /// `skipped` or `failed`.
    pub outcome: &'static str,
    /// The reason's kind.
    pub reason: &'static str,
    /// One sentence.
    pub detail: String,
}

/// Why one path is in or out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhyPath {
    /// The path.
    pub path: PathBuf,
    /// Whether its text is searchable now.
    pub searchable: bool,
    /// One sentence: the rule, the root, or the reason.
    pub because: String,
    /// The file and line that hold the rule, where one does.
    pub rule: Option<String>,
    /// How it was read, where it was.
    pub details: Vec<(String, String)>,
}

/// One thing that was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// What was checked.
    pub what: String,
    /// Whether it is well.
    pub well: bool,
    /// What was found, and the next command where there is one.
    pub finding: String,
}

impl Engine {
    /// Files without text, at or under a path, up to `limit`, by path.
    ///
    /// # Errors
    /// When the store fails.
    pub fn troubles(&self, under: Option<&Path>, limit: usize) -> Result<Vec<Trouble>> {
        // A damaged database is a finding of `diagnose`, not a reason to say nothing else.
        let reader = match self.reader() {
            Err(error) if error.is_damaged_index() => return Ok(Vec::new()),
            reader => reader?,
        };
        let Some(reader) = reader else { return Ok(Vec::new()) };
        let under = under.map(|path| self.absolute(path));
        let documents = reader.documents_with_trouble(under.as_deref(), limit)?;
        Ok(documents
            .into_iter()
            .filter_map(|document| {
                let (outcome, reason, detail) = match document.outcome {
                    Outcome::Indexed => return None,
                    Outcome::Skipped { kind, detail } => ("skipped", kind.name(), detail),
                    Outcome::Failed { kind, detail } => ("failed", kind.name(), detail),
                };
                Some(Trouble { path: document.path, outcome, reason, detail })
            })
            .collect())
    }

    /// Why one path is in the index, or not. Works for any path, also one that is not there.
    ///
    /// # Errors
    /// When the store fails.
    pub fn why(&self, path: &Path) -> Result<WhyPath> {
        let path = self.absolute(path);
        let reader = self.reader()?;
        let (roots, document) = match &reader {
            Some(reader) => {
                let roots = reader.roots()?.into_iter().map(|root| root.path).collect();
                (roots, reader.find_document_at(&path)?)
            }
            None => (Vec::new(), None),
        };
        // What is inside a container is in and out with it.
        let container = container_on_disk(&path).map(|(container, _)| container);
        let rule = self.rules().why(container.as_deref().unwrap_or(&path), &roots);
        let mut details = Vec::new();
        if let Some(root) = &rule.root {
            details.push(("root".to_owned(), root.display().to_string()));
        }
        let said_by = rule.said_by.as_ref().map(|line| match line.line {
            Some(number) => format!("{}:{number}: {}", line.file.display(), line.pattern),
            None => format!("{}: {}", line.file.display(), line.pattern),
        });
        let Some(document) = document else {
            let because = if rule.indexed && path.is_dir() {
                self.folder_state(&path, reader.as_ref())?
            } else if let Some(container) = container.as_deref().filter(|_| rule.indexed) {
                let container = container.display();
                format!("{container} is in the index and holds no such file, or one that is never read (keys, junk).")
            } else if rule.indexed {
                "It belongs in the index and has not been read yet; bring the index up to date with: bethink index"
                    .to_owned()
            } else {
                rule.reason
            };
            let searchable = rule.indexed && path.is_dir();
            return Ok(WhyPath { path, searchable, because, rule: said_by, details });
        };
        let because = match &document.outcome {
            Outcome::Indexed => "Its text is in the index.".to_owned(),
            Outcome::Skipped { kind, detail } => format!("It has no text ({}): {detail}", kind.name()),
            Outcome::Failed { kind, detail } => format!("It could not be read ({}): {detail}", kind.name()),
        };
        if !rule.indexed {
            details.push(("now".to_owned(), rule.reason));
        }
        if let (Some(reader), Some(content)) = (&reader, document.content)
            && let Some(content) = reader.content(content)?
        {
            details.push(("read as".to_owned(), content.format.name().to_owned()));
            details.push(("lines".to_owned(), content.lines.to_string()));
            details.push(("passages".to_owned(), content.passages.to_string()));
            details
                .extend(content.problems.into_iter().map(|problem| (problem.kind.name().to_owned(), problem.detail)));
        }
        if let Some(hash) = document.hash {
            details.push(("bytes hash to".to_owned(), hash.to_string()));
        }
        Ok(WhyPath { path, searchable: document.content.is_some(), because, rule: said_by, details })
    }

    fn folder_state(&self, path: &Path, reader: Option<&SqliteIndexReader>) -> Result<String> {
        let Some(reader) = reader else { return Ok("Nothing is indexed yet.".to_owned()) };
        let statistics = reader.statistics(Some(path))?;
        Ok(format!("{} documents under it are known, {} of them with text.", statistics.documents, statistics.indexed))
    }

    /// Checks the parts of the home.
    ///
    /// # Errors
    /// When the store fails in a way that is no finding.
    pub fn diagnose(&self) -> Result<Vec<Diagnosis>> {
        let mut findings = vec![self.diagnose_home()];
        let reader = match self.reader() {
            Ok(reader) => reader,
            Err(error) => {
                findings.push(Diagnosis {
                    what: "index".to_owned(),
                    well: false,
                    finding: format!("{error}. It is derived from your files; build it again with: bethink index"),
                });
                return Ok(findings);
            }
        };
        let Some(reader) = reader else {
            findings.push(Diagnosis {
                what: "index".to_owned(),
                well: false,
                finding: "nothing is indexed yet; start with: bethink index ~/Documents".to_owned(),
            });
            findings.push(self.diagnose_models()?);
            findings.push(self.diagnose_pdf_engine());
            findings.push(diagnose_confinement());
            return Ok(findings);
        };
        let statistics = reader.statistics(None)?;
        let failed: u64 = statistics.failed.iter().map(|(_, number)| number).sum();
        findings.push(Diagnosis {
            what: "index".to_owned(),
            well: true,
            finding: format!(
                "{} documents, {} with text, {} passages{}",
                statistics.documents,
                statistics.indexed,
                statistics.passages,
                if failed > 0 { format!("; {failed} could not be read, listed below") } else { String::new() }
            ),
        });
        for root in reader.roots()? {
            let (well, finding) = match &root.state {
                RootState::Complete => (true, "complete".to_owned()),
                RootState::Pending => (false, "not walked to its end yet; go on with: bethink index".to_owned()),
                RootState::Missing => (
                    false,
                    format!(
                        "not there; what was indexed is kept. Gone for good: bethink index --forget '{}'",
                        root.path.display()
                    ),
                ),
                RootState::Unreadable(reason) => (false, format!("cannot be listed: {reason}")),
            };
            findings.push(Diagnosis {
                what: "root".to_owned(),
                well,
                finding: format!("{}: {finding}", root.path.display()),
            });
        }
        findings.push(self.diagnose_caches(&reader)?);
        findings.push(self.diagnose_models()?);
        findings.push(self.diagnose_pdf_engine());
        findings.push(diagnose_confinement());
        Ok(findings)
    }

    fn diagnose_home(&self) -> Diagnosis {
        let folder = self.home().folder();
        let finding = match folder.metadata() {
            Ok(metadata) if !metadata.is_dir() => Err(format!("{} is not a folder", folder.display())),
            Ok(_) => match self.read_only_note() {
                Some(note) => Err(note),
                None => Ok(format!("{}", folder.display())),
            },
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Ok(format!("{} (made when it is first needed)", folder.display()))
            }
            Err(error) => Err(format!("{}: {error}", folder.display())),
        };
        Diagnosis {
            what: "data folder".to_owned(),
            well: finding.is_ok(),
            finding: finding.unwrap_or_else(|error| error),
        }
    }

    /// Reads every byte of the vector caches, and compares what each cache was built from.
    fn diagnose_caches(&self, reader: &SqliteIndexReader) -> Result<Diagnosis> {
        let caches = Caches::open(&self.home().cache())?;
        let newest = reader.sequence()?;
        let store = reader.store_id()?.0;
        let mut troubles = Vec::new();
        match Lexicon::open(&caches.lexicon())? {
            None => troubles.push("the lexicon is missing".to_owned()),
            Some(lexicon) if !lexicon.verify()? => troubles.push("the lexicon is damaged".to_owned()),
            Some(lexicon) if lexicon.stamp().store != store || lexicon.stamp().sequence < newest => {
                troubles.push("the lexicon is behind".to_owned());
            }
            Some(_) => {}
        }
        for progress in reader.tiers()?.into_iter().filter(|progress| progress.done > 0) {
            match Matrix::open(&caches.matrix(&progress.model.id))? {
                None => troubles.push(format!("the vectors of {} are missing", progress.model.id)),
                Some(matrix) if !matrix.verify() => {
                    troubles.push(format!("the vectors of {} are damaged", progress.model.id));
                }
                Some(_) => {}
            }
        }
        Ok(if troubles.is_empty() {
            Diagnosis { what: "caches".to_owned(), well: true, finding: "up to date and whole".to_owned() }
        } else {
            Diagnosis {
                what: "caches".to_owned(),
                well: false,
                finding: format!("{}; the next question or index run brings them up", troubles.join(", ")),
            }
        })
    }

    /// Which reader PDF is read with. Having only the built-in one is well.
    fn diagnose_pdf_engine(&self) -> Diagnosis {
        let what = "PDF".to_owned();
        let Some(engine) = self.pdf_engine() else {
            let finding = "read by the built-in reader; pdfium reads more of the words, faster: \
                           bethink models add WHEEL (pypdfium2)";
            return Diagnosis { what, well: true, finding: finding.to_owned() };
        };
        match self.try_out(&engine) {
            Ok(()) => Diagnosis {
                what,
                well: true,
                finding: format!("read by {} ({}), else by the built-in reader", engine.name, engine.path.display()),
            },
            Err(error) => Diagnosis {
                what,
                well: false,
                finding: format!("{error}; the built-in reader is used. Add another with: bethink models add WHEEL"),
            },
        }
    }

    fn diagnose_models(&self) -> Result<Diagnosis> {
        let (models, troubles) = self.models()?;
        if let Some(trouble) = troubles.into_iter().next() {
            return Ok(Diagnosis { what: "models".to_owned(), well: false, finding: trouble });
        }
        Ok(Diagnosis {
            what: "models".to_owned(),
            well: !models.is_empty(),
            finding: if models.is_empty() {
                NO_MODEL.to_owned()
            } else {
                models.iter().map(|model| model.name.as_str()).collect::<Vec<_>>().join(", ")
            },
        })
    }
}

/// How far the workers that read untrusted files are confined on this system. A system that cannot is no
/// trouble of the user's: whatever is missing is told, and a worker still costs its one file at the most.
fn diagnose_confinement() -> Diagnosis {
    Diagnosis { what: "workers".to_owned(), well: true, finding: format!("confined: {}", confinement()) }
}
