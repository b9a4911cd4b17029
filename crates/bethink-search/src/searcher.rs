//! From a question to an answer: asks the channels, fuses, then goes down the fused order turning
//! candidates into hits until there are enough of them.
//!
//! Text is read for the winners only. The walk down the order takes candidates in small groups, so
//! that a query process reads some thirty passages, not four hundred.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use bethink_core::{
    ContentId, DocumentId, Explanation, MatchStrength, PassageId, PassageKey, Score, split_member_path,
};
use bethink_index::{ContentSet, Lexicon};
use bethink_store::{ContentRecord, DocumentRecord, IndexReader, PassageRecord, Tier};
use bethink_text::QueryTerms;

use crate::answer::{Answer, Coverage, Hidden, Hit};
use crate::channel::{Candidate, Channels, Prepared, SemanticTier, candidates_for};
use crate::error::{Result, SearchError};
use crate::fuse::{Fused, FusionWeights, fuse};
use crate::question::{Question, Shape};
use crate::strength::strength_of;
use crate::verify::{Verdict, Verifier};

/// Candidates whose text is read at a time on the walk down the order.
const GROUP: usize = 24;

/// Graphemes of an excerpt: two lines of a usual terminal, and about 45 tokens for an agent.
const EXCERPT_GRAPHEMES: usize = 180;

/// Documents that the name channel gives. Names are short and a name matches whole or hardly at all.
const NAME_CANDIDATES: usize = 30;

/// How far a name that holds every word of the question lifts its document: to .9 where nothing else
/// speaks for it, which ranks it above passages that only resemble the question.
const NAME_WEIGHT: f32 = 0.9;

/// Share of the score that hangs on whether the literals stand in the passage as typed, where the
/// question is literals alone; in a question with other words as much less as they are fewer of it.
const LITERAL_WEIGHT: f32 = 0.4;

/// Best candidates that are looked at to tell whether a question meets code.
const LOOKED_AT_FOR_CODE: usize = 20;

/// Passages in which literals are looked for: a literal that stands nowhere among so many with its parts
/// is rare enough to be missed.
const LITERAL_PASSAGES: usize = 200;

/// Contents that are read at a time when a question has symbols alone.
const SCANNED_AT_A_TIME: usize = 100;

/// Bytes of text that are read through for a question of symbols alone, at the most: some tenths of a
/// second.
const SCANNED_BYTES: usize = 64 * 1024 * 1024;

/// Answers questions over one consistent set of parts.
pub struct Searcher<'a> {
    /// The store that confirms every hit.
    pub reader: &'a dyn IndexReader,
    /// The lexical index; `None` before anything was indexed.
    pub lexicon: Option<&'a Lexicon>,
    /// The semantic tiers, static first; empty without a model.
    pub tiers: &'a [SemanticTier<'a>],
    /// Checks winners against the disk.
    pub verifier: &'a dyn Verifier,
    /// Shares of the legs.
    pub weights: FusionWeights,
}

/// A candidate on its way to becoming a hit.
#[derive(Clone)]
struct Contender {
    /// Where the words are; `None` for a document that only its name speaks for.
    fused: Option<Fused>,
    content: Option<ContentId>,
    /// The document that its name brought up, with the share of the question in its name.
    named: Option<(DocumentId, f32)>,
    score: f32,
    /// The share of the literals that stand in it; `None` where the question has none.
    literals: Option<f32>,
    /// Whether something quoted does not stand in it.
    is_refused: bool,
}

impl Searcher<'_> {
    /// Answers a question.
    ///
    /// # Errors
    /// [`SearchError::Empty`] where the question has no words; otherwise when a part fails.
    pub fn answer(&self, question: &Question) -> Result<Answer> {
        let mut terms = bethink_text::query_terms(&question.text);
        drop_ordinary_literals(&mut terms);
        if terms.terms.is_empty() && terms.literals.is_empty() {
            return Err(SearchError::Empty);
        }
        let depth = candidates_for(question.limit);
        let channels = Channels { lexicon: self.lexicon, tiers: self.tiers, depth };
        let prepared = channels.prepare(&question.text, terms)?;
        let scope = match &question.within {
            Some(within) => Some(ContentSet::new(self.reader.contents_under(within)?)),
            None => None,
        };

        let mut candidates = if prepared.terms.terms.is_empty() {
            self.scan_for_literals(&prepared.terms, scope.as_ref())?
        } else {
            channels.candidates(&prepared, scope.as_ref())?
        };
        if scope.is_some() && !prepared.terms.terms.is_empty() {
            // What the scope hides is asked for as well and fused in the same run, so that "better
            // outside" compares like with like.
            let known: BTreeSet<PassageId> = candidates.iter().map(|candidate| candidate.passage).collect();
            let everywhere = channels.candidates(&prepared, None)?;
            candidates.extend(everywhere.into_iter().filter(|candidate| !known.contains(&candidate.passage)));
        }
        let fused = self.fuse(&candidates, &prepared.terms)?;
        let names = match (question.shape, self.lexicon) {
            (Shape::Headings, Some(lexicon)) => self.named_documents(lexicon, &prepared.terms)?,
            _ => BTreeMap::new(),
        };
        let contenders = self.contenders(fused, names, &prepared.terms)?;

        let in_scope = |contender: &Contender| match (&scope, contender.content) {
            (None, _) => true,
            (Some(scope), Some(content)) => scope.contains(content),
            (Some(_), None) => false,
        };
        let mut walk = Walk::new(self, question, &prepared);
        let inside: Vec<Contender> = contenders.iter().filter(|contender| in_scope(contender)).cloned().collect();
        for group in groups(&inside) {
            walk.take(group)?;
            if walk.is_full() {
                break;
            }
        }
        let mut answer = walk.finish();
        if scope.is_some() {
            let outside = contenders.iter().filter(|contender| !in_scope(contender));
            answer.hidden = self.hidden(outside, answer.hits.first().map(|hit| hit.score))?;
        }
        answer.coverage = self.coverage()?;
        answer.channels = self.channel_names();
        answer.strength = answer.hits.iter().map(|hit| hit.strength).max().unwrap_or_default();
        Ok(answer)
    }

    /// Fuses with the weights that the question and its best candidates ask for.
    fn fuse(&self, candidates: &[Candidate], terms: &QueryTerms) -> Result<Vec<Fused>> {
        let words = terms.terms.iter().filter(|term| !term.stopword).count();
        let literal = literal_share(terms);
        let weights = self.weights.for_words(words).for_known_words(self.known_share(terms)?);
        let fused = fuse(candidates, weights.for_literals(literal));
        let best = &fused[..fused.len().min(LOOKED_AT_FOR_CODE)];
        let mut code = 0;
        for fused in best {
            let content = self.reader.content(fused.candidate.content)?;
            code += usize::from(content.is_some_and(|content| content.format.is_code()));
        }
        if code == 0 {
            return Ok(fused);
        }
        // Who types code literally means the words, whatever they are found in.
        let share = code as f32 / best.len() as f32 * (1.0 - literal);
        Ok(fuse(candidates, weights.for_code(share).for_literals(literal)))
    }

    /// The share of the question's content words that stand anywhere in the passages, in 0..=1.
    fn known_share(&self, terms: &QueryTerms) -> Result<f32> {
        let Some(lexicon) = self.lexicon else { return Ok(0.0) };
        let statistics = lexicon.term_statistics(terms)?;
        let counted = || terms.terms.iter().zip(&statistics).filter(|(term, _)| !term.stopword);
        let known = counted().filter(|(_, statistic)| statistic.passages > 0).count();
        Ok(known as f32 / counted().count().max(1) as f32)
    }

    /// Documents whose name or title holds words of the question, with the share that it holds.
    fn named_documents(
        &self,
        lexicon: &Lexicon,
        terms: &QueryTerms,
    ) -> Result<BTreeMap<DocumentId, (Option<ContentId>, f32)>> {
        let mut named = BTreeMap::new();
        for hit in lexicon.documents(terms, NAME_CANDIDATES)? {
            let Some(document) = self.reader.find_document(hit.document)? else { continue };
            let title = match document.content {
                Some(content) => self.reader.content(content)?.and_then(|content| content.title),
                None => None,
            };
            let name = document.path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            let share = share_of_words(terms, &[&name, title.as_deref().unwrap_or_default()]);
            // Half of the words in a name are chance; what counts is a name that says most of it.
            if share > 0.5 {
                named.insert(document.id, (document.content, share));
            }
        }
        Ok(named)
    }

    /// One list of everything that may become a hit, best first.
    fn contenders(
        &self,
        fused: Vec<Fused>,
        names: BTreeMap<DocumentId, (Option<ContentId>, f32)>,
        terms: &QueryTerms,
    ) -> Result<Vec<Contender>> {
        let mut contenders: Vec<Contender> = fused
            .into_iter()
            .map(|fused| Contender {
                content: Some(fused.candidate.content),
                score: fused.score(),
                fused: Some(fused),
                named: None,
                literals: None,
                is_refused: false,
            })
            .collect();
        self.weigh_literals(&mut contenders, terms)?;
        for (document, (content, share)) in names {
            let lift = NAME_WEIGHT * share * share;
            // The document's best passage carries its name; a document without one stands by itself.
            let best = content.and_then(|content| {
                contenders
                    .iter_mut()
                    .filter(|contender| contender.content == Some(content) && contender.fused.is_some())
                    .max_by(|left, right| left.score.total_cmp(&right.score))
            });
            match best {
                Some(contender) => {
                    contender.named = Some((document, share));
                    contender.score = either(contender.score, lift);
                }
                // Quoted words stand in a text or nowhere.
                None if !terms.quoted.is_empty() => {}
                None => contenders.push(Contender {
                    fused: None,
                    content,
                    named: Some((document, share)),
                    score: lift,
                    literals: None,
                    is_refused: false,
                }),
            }
        }
        contenders.sort_by(|left, right| {
            let passage = |contender: &Contender| contender.fused.map(|fused| fused.candidate.passage);
            right.score.total_cmp(&left.score).then_with(|| passage(left).cmp(&passage(right)))
        });
        Ok(contenders)
    }

    /// A literal (`foo:bar(`, `1.0.21`, quoted words) is looked for letter by letter in the passages
    /// that the channels brought up. Where it stands, the passage keeps its score; where it does not, it
    /// falls behind; and what was quoted and does not stand there is no answer.
    fn weigh_literals(&self, contenders: &mut Vec<Contender>, terms: &QueryTerms) -> Result<()> {
        if terms.literals.is_empty() {
            return Ok(());
        }
        let weight = LITERAL_WEIGHT * literal_share(terms);
        let literals: Vec<String> = terms.literals.iter().map(|literal| plain(literal)).collect();
        let quoted: Vec<String> = terms.quoted.iter().map(|literal| plain(literal)).collect();
        // The lexical best come first here: a literal's parts are words that the passage must hold.
        let lexical = |contender: &Contender| contender.fused.map_or(0.0, |fused| fused.candidate.lexical);
        contenders.sort_by(|left, right| lexical(right).total_cmp(&lexical(left)));
        let looked_at = contenders.len().min(LITERAL_PASSAGES);
        let passages: Vec<PassageId> = contenders[..looked_at]
            .iter()
            .filter_map(|contender| contender.fused.map(|fused| fused.candidate.passage))
            .collect();
        let texts: HashMap<PassageId, String> = self
            .reader
            .passages(&passages)?
            .into_iter()
            .map(|record| (record.id, plain(&format!("{} {}", record.heading.join(" "), record.text))))
            .collect();
        for contender in contenders.iter_mut() {
            let text = contender.fused.and_then(|fused| texts.get(&fused.candidate.passage));
            let found =
                text.map_or(0, |text| literals.iter().filter(|literal| text.contains(literal.as_str())).count());
            let share = found as f32 / literals.len() as f32;
            contender.literals = Some(share);
            contender.score = (1.0 - weight) * contender.score + weight * share;
            contender.is_refused =
                !quoted.is_empty() && !text.is_some_and(|text| quoted.iter().all(|quoted| text.contains(quoted)));
        }
        contenders.retain(|contender| !contender.is_refused);
        Ok(())
    }

    /// A question of symbols alone (`->`, `::`) has no word that an index could hold: the passages are
    /// read through, newest content first, within a bound.
    fn scan_for_literals(&self, terms: &QueryTerms, scope: Option<&ContentSet>) -> Result<Vec<Candidate>> {
        let literals: Vec<String> = terms.literals.iter().map(|literal| plain(literal)).collect();
        let mut candidates = Vec::new();
        let (mut after, mut bytes) = (ContentId(0), 0);
        'reading: loop {
            let contents = self.reader.contents_after(after, SCANNED_AT_A_TIME)?;
            let Some(&last) = contents.last() else { break };
            after = last;
            for content in contents.into_iter().filter(|content| scope.is_none_or(|scope| scope.contains(*content))) {
                for record in self.reader.passages_of(content)? {
                    bytes += record.text.len();
                    let text = plain(&record.text);
                    let found: usize = literals.iter().map(|literal| text.matches(literal.as_str()).count()).sum();
                    if found > 0 {
                        candidates.push(Candidate::by_words(record.id, content, found as f32));
                    }
                }
                if bytes > SCANNED_BYTES {
                    break 'reading;
                }
            }
        }
        Ok(candidates)
    }

    fn hidden<'c>(
        &self,
        outside: impl Iterator<Item = &'c Contender>,
        best_inside: Option<Score>,
    ) -> Result<Option<Hidden>> {
        let best_inside = best_inside.map_or(0.0, |score| score.0);
        let mut contents: BTreeMap<ContentId, f32> = BTreeMap::new();
        for contender in outside {
            if let Some(content) = contender.content {
                let best = contents.entry(content).or_insert(0.0);
                *best = best.max(contender.score);
            }
        }
        let Some((&content, &score)) =
            contents.iter().max_by(|left, right| left.1.total_cmp(right.1).then_with(|| right.0.cmp(left.0)))
        else {
            return Ok(None);
        };
        let better = contents.values().filter(|&&score| score >= best_inside).count();
        let documents = self.reader.documents_with(&[content])?;
        Ok(documents.into_iter().map(|document| document.path).min().map(|best_path| Hidden {
            better,
            best_score: Score(score),
            best_path,
        }))
    }

    fn coverage(&self) -> Result<Coverage> {
        let mut coverage = Coverage { passages: self.lexicon.map_or(0, Lexicon::passage_count), ..Coverage::default() };
        for tier in self.tiers {
            match tier.tier {
                Tier::Static => coverage.covered = tier.matrix.rows() as u64,
                Tier::Transformer => coverage.sharpened = tier.matrix.rows() as u64,
            }
        }
        Ok(coverage)
    }

    fn channel_names(&self) -> Vec<&'static str> {
        let mut names = Vec::new();
        if self.lexicon.is_some() {
            names.push("lexical");
        }
        for tier in self.tiers {
            names.push(match tier.tier {
                Tier::Static => "static",
                Tier::Transformer => "transformer",
            });
        }
        names
    }
}

/// The walk down the fused order: folds, caps, verifies, and makes hits.
struct Walk<'s, 'a> {
    searcher: &'s Searcher<'a>,
    question: &'s Question,
    prepared: &'s Prepared,
    per_file: usize,
    hits: Vec<Hit>,
    verdicts: HashMap<DocumentId, Verdict>,
    hits_of_content: HashMap<ContentId, usize>,
    headings_seen: BTreeSet<(ContentId, Vec<String>)>,
    /// Which hit shows a passage of that key.
    keys_seen: HashMap<PassageKey, usize>,
    gone: BTreeSet<DocumentId>,
    refreshed: BTreeSet<DocumentId>,
}

impl<'s, 'a> Walk<'s, 'a> {
    fn new(searcher: &'s Searcher<'a>, question: &'s Question, prepared: &'s Prepared) -> Self {
        Self {
            searcher,
            question,
            prepared,
            per_file: question.per_file.max(1),
            hits: Vec::new(),
            verdicts: HashMap::new(),
            hits_of_content: HashMap::new(),
            headings_seen: BTreeSet::new(),
            keys_seen: HashMap::new(),
            gone: BTreeSet::new(),
            refreshed: BTreeSet::new(),
        }
    }

    fn is_full(&self) -> bool {
        self.hits.len() >= self.question.limit
    }

    fn take(&mut self, group: &[Contender]) -> Result<()> {
        let reader = self.searcher.reader;
        let passages: Vec<PassageId> =
            group.iter().filter_map(|contender| contender.fused.map(|fused| fused.candidate.passage)).collect();
        let mut records: HashMap<PassageId, PassageRecord> =
            reader.passages(&passages)?.into_iter().map(|record| (record.id, record)).collect();
        let mut contents: Vec<ContentId> = group.iter().filter_map(|contender| contender.content).collect();
        contents.sort_unstable();
        contents.dedup();
        let mut documents: HashMap<ContentId, Vec<DocumentRecord>> = HashMap::new();
        for document in reader.documents_with(&contents)? {
            if let Some(content) = document.content {
                documents.entry(content).or_default().push(document);
            }
        }
        let only_file = self
            .question
            .within
            .as_deref()
            .is_some_and(|within| documents.values().flatten().any(|document| document.path == within));
        if only_file {
            self.per_file = usize::MAX;
        }
        // Ties: the newest file first, then by path. Ids would not do, since they tell in which order
        // files happened to be read, and the same folder indexed twice must give the same answer.
        let mut group: Vec<&Contender> = group.iter().collect();
        let newest = |contender: &Contender| {
            let documents = contender.content.and_then(|content| documents.get(&content))?;
            documents.iter().map(|document| (document.stamp.modified_ns, Reverse(document.path.as_os_str()))).max()
        };
        group.sort_by(|left, right| {
            right.score.total_cmp(&left.score).then_with(|| newest(right).cmp(&newest(left))).then_with(|| {
                let ordinal = |contender: &Contender| {
                    contender.fused.and_then(|fused| records.get(&fused.candidate.passage)).map(|record| record.ordinal)
                };
                ordinal(left).cmp(&ordinal(right))
            })
        });
        for contender in group {
            if self.is_full() {
                break;
            }
            let record = match contender.fused {
                // A cache may still know a passage that the store has let go: it is passed over.
                Some(fused) => match records.remove(&fused.candidate.passage) {
                    Some(record) => Some(record),
                    None => continue,
                },
                None => match contender.content {
                    Some(content) => reader.passages_of(content)?.into_iter().next(),
                    None => None,
                },
            };
            let mut paths = match (contender.content, contender.named) {
                (Some(content), _) => documents.get(&content).cloned().unwrap_or_default(),
                (None, Some((document, _))) => reader.find_document(document)?.into_iter().collect(),
                (None, None) => Vec::new(),
            };
            self.consider(contender, record, &mut paths)?;
        }
        Ok(())
    }

    /// Turns one contender into a hit, or passes it over for a reason.
    fn consider(
        &mut self,
        contender: &Contender,
        record: Option<PassageRecord>,
        documents: &mut Vec<DocumentRecord>,
    ) -> Result<()> {
        if let Some(within) = &self.question.within {
            documents.retain(|document| document.path.starts_with(within));
        }
        if let Some(record) = &record {
            // The same words under the same headings in another file: one of them is enough, and says
            // where else they stand.
            if let Some(&rank) = self.keys_seen.get(&record.key) {
                if let Some(hit) = self.hits.get_mut(rank - 1) {
                    hit.copies.extend(documents.drain(..).map(|document| document.path).filter(|path| is_there(path)));
                }
                return Ok(());
            }
            if self.hits_of_content.get(&record.content).copied().unwrap_or(0) >= self.per_file {
                return Ok(());
            }
            if self.question.shape == Shape::Headings
                && !record.heading.is_empty()
                && self.headings_seen.contains(&(record.content, record.heading.clone()))
            {
                return Ok(());
            }
        }
        // Of several copies the one that the question named, then the shortest path, speaks for all.
        documents.sort_by(|left, right| {
            let named = |document: &DocumentRecord| contender.named.is_none_or(|(id, _)| id != document.id);
            let depth = |document: &DocumentRecord| document.path.components().count();
            (named(left), depth(left), &left.path).cmp(&(named(right), depth(right), &right.path))
        });
        let mut chosen: Option<(DocumentRecord, Verdict)> = None;
        let mut copies = Vec::new();
        for document in documents.drain(..) {
            if chosen.is_some() {
                copies.push(document.path);
                continue;
            }
            let verdict =
                self.verdicts.entry(document.id).or_insert_with(|| self.searcher.verifier.verify(&document)).clone();
            match verdict {
                Verdict::Gone => {
                    self.gone.insert(document.id);
                }
                Verdict::Refreshed => {
                    self.refreshed.insert(document.id);
                }
                kept => chosen = Some((document, kept)),
            }
        }
        let Some((document, verdict)) = chosen else { return Ok(()) };
        if let Some(record) = &record {
            self.keys_seen.insert(record.key, self.hits.len() + 1);
            *self.hits_of_content.entry(record.content).or_insert(0) += 1;
            self.headings_seen.insert((record.content, record.heading.clone()));
        }
        let content = match contender.content {
            Some(content) => self.searcher.reader.content(content)?,
            None => None,
        };
        let hit = self.hit(contender, record, content, document, verdict, copies);
        self.hits.push(hit);
        Ok(())
    }

    fn hit(
        &self,
        contender: &Contender,
        record: Option<PassageRecord>,
        content: Option<ContentRecord>,
        document: DocumentRecord,
        verdict: Verdict,
        copies: Vec<PathBuf>,
    ) -> Hit {
        let terms = &self.prepared.terms;
        let (excerpt, line, matched) = match &record {
            Some(record) => {
                let excerpt = bethink_text::excerpt(&record.text, record.line, terms, EXCERPT_GRAPHEMES);
                (excerpt.text, excerpt.line, excerpt.matched)
            }
            None => (String::new(), 1, Vec::new()),
        };
        // The place and the headings are those of the line that is shown, not of its passage.
        let (locator, heading) = match &record {
            Some(record) => {
                let before = line.saturating_sub(record.line) as usize;
                let offset = bethink_text::lines(&record.text).nth(before).map_or(0, |range| range.start);
                let locator = bethink_core::locator_at(&record.locator, &record.marks, offset).clone();
                let format = content.as_ref().map(|content| content.format).unwrap_or_default();
                (locator, bethink_text::heading_within(format, &record.heading, &record.text, offset))
            }
            None => Default::default(),
        };
        let title = content.as_ref().and_then(|content| content.title.clone());
        let words = record.as_ref().map_or(0.0, |record| {
            let mut places: Vec<&str> = vec![&record.text];
            places.extend(record.heading.iter().map(String::as_str));
            places.extend(title.as_deref());
            share_of_words(terms, &places)
        });
        let words = words.max(contender.named.map_or(0.0, |(_, share)| share));
        // What stands there as typed is as sure as can be, whatever its parts say.
        let words = if contender.literals == Some(1.0) { 1.0 } else { words };
        let candidate = contender.fused.map(|fused| fused.candidate);
        let content_words = terms.terms.iter().filter(|term| !term.stopword).count();
        let strength = strength_of(
            words,
            (words * content_words as f32).round() as usize,
            candidate.and_then(|candidate| candidate.cosine),
            candidate.and_then(|candidate| candidate.tier),
        );
        let (path, moved_from, caveat) = match verdict {
            Verdict::Moved(to) => (to, Some(document.path), None),
            Verdict::Stale => (document.path, None, Some("changed since it was indexed")),
            Verdict::Unreachable => (document.path, None, Some("cannot be reached at the moment")),
            Verdict::Current | Verdict::Refreshed | Verdict::Gone => (document.path, None, None),
        };
        Hit {
            rank: self.hits.len() + 1,
            score: Score(contender.score),
            strength,
            path,
            moved_from,
            line,
            column: None,
            locator,
            heading,
            title,
            format: content.as_ref().map(|content| content.format),
            excerpt,
            matched,
            modified: document.stamp.modified(),
            document: document.id,
            passage: record.map(|record| record.id),
            copies,
            caveat,
            explanation: self.question.explain.then(|| explain(contender, words)),
        }
    }

    fn finish(self) -> Answer {
        Answer {
            hits: self.hits,
            strength: MatchStrength::None,
            hidden: None,
            coverage: Coverage::default(),
            gone: self.gone.len(),
            refreshed: self.refreshed.len(),
            channels: Vec::new(),
        }
    }
}

/// Words of a longest query in which a hyphenated word still counts as a literal.
const SHORT_QUERY_TERMS: usize = 4;

/// In a long question a hyphenated or contracted word is a word like others ("high-speed", "don't"), no
/// sign that something literal is meant: weighing it so cost cranfield .03 of nDCG@10.
fn drop_ordinary_literals(terms: &mut QueryTerms) {
    if terms.terms.len() > SHORT_QUERY_TERMS {
        let quoted = terms.quoted.clone();
        terms.literals.retain(|literal| {
            quoted.contains(literal)
                || !literal.chars().all(|letter| letter.is_alphabetic() || matches!(letter, '-' | '\'' | '’' | '‐'))
        });
    }
}

/// The share of the question's content words that its literals hold, in 0..=1.
fn literal_share(terms: &QueryTerms) -> f32 {
    if terms.literals.is_empty() {
        return 0.0;
    }
    let within: BTreeSet<String> = terms
        .literals
        .iter()
        .flat_map(|literal| bethink_text::query_terms(literal).terms)
        .map(|term| term.term)
        .collect();
    let content: Vec<&str> = terms.terms.iter().filter(|term| !term.stopword).map(|term| term.term.as_str()).collect();
    if content.is_empty() {
        return 1.0;
    }
    content.iter().filter(|term| within.contains(**term)).count() as f32 / content.len() as f32
}

/// A text as literals are compared in it: without case, white space of one width.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !plain.is_empty() {
            plain.push(' ');
        }
        plain.push_str(&word.to_lowercase());
    }
    plain
}

/// Cuts the order into groups of at least [`GROUP`] without parting candidates of equal score, so that
/// ties can be settled inside a group by what only the store knows.
fn groups(contenders: &[Contender]) -> impl Iterator<Item = &[Contender]> {
    let mut rest = contenders;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut end = rest.len().min(GROUP);
        while end < rest.len() && rest[end].score == rest[end - 1].score {
            end += 1;
        }
        let (group, after) = rest.split_at(end);
        rest = after;
        Some(group)
    })
}

/// Whether a copy, or the container that it is inside of, is still there.
fn is_there(path: &Path) -> bool {
    path.exists() || split_member_path(path).is_some_and(|(container, _)| container.exists())
}

/// Two pieces of independent evidence for one thing, each in 0..=1 (noisy or).
fn either(left: f32, right: f32) -> f32 {
    1.0 - (1.0 - left.clamp(0.0, 1.0)) * (1.0 - right.clamp(0.0, 1.0))
}

/// The share of the question's content words that stand in any of the places. Each word counts the
/// same: "no word is mandatory" must hold for a question whose longest word stands nowhere.
fn share_of_words(terms: &QueryTerms, places: &[&str]) -> f32 {
    let mut present: BTreeSet<String> = BTreeSet::new();
    for place in places {
        bethink_text::index_terms(place, true, &mut |term, _, _| {
            present.insert(term.to_owned());
        });
    }
    let all = terms.terms.iter().filter(|term| !term.stopword).count();
    let found = terms.terms.iter().filter(|term| !term.stopword && present.contains(&term.term)).count();
    if all > 0 { found as f32 / all as f32 } else { 0.0 }
}

/// The tree of parts that add up to a hit's score.
fn explain(contender: &Contender, words: f32) -> Explanation {
    let leaf = |name: &str, value: f32, detail: String| Explanation {
        value,
        name: name.to_owned(),
        detail,
        children: Vec::new(),
    };
    let mut children = Vec::new();
    let mut sum = 0.0;
    if let Some(fused) = contender.fused {
        let rank = |rank: Option<u32>| {
            rank.map_or_else(|| "below the channel's best".to_owned(), |rank| format!("rank {rank}"))
        };
        children.push(leaf(
            "lexical",
            fused.lexical,
            format!(
                "BM25 {:.2}, {}; {:.0} % of the words",
                fused.candidate.lexical,
                rank(fused.candidate.lexical_rank),
                words * 100.0
            ),
        ));
        if let (Some(cosine), Some(tier)) = (fused.candidate.cosine, fused.candidate.tier) {
            let model = match tier {
                Tier::Static => "static model",
                Tier::Transformer => "transformer",
            };
            children.push(leaf(
                "semantic",
                fused.semantic,
                format!("cosine {cosine:.3} ({model}), {}", rank(fused.candidate.semantic_rank)),
            ));
        }
        if fused.content > f32::EPSILON {
            let more = fused.candidate.content_lexical > fused.candidate.lexical;
            let detail = if more { "its file says more of the question elsewhere" } else { "all that its file says" };
            children.push(leaf(
                "document",
                fused.content,
                format!("BM25 {:.2}: {detail}", fused.candidate.content_lexical),
            ));
        }
        sum = fused.score();
    }
    let rest = contender.score - sum;
    if rest.abs() > f32::EPSILON {
        let (name, detail) = match (contender.named, contender.literals) {
            (Some((_, share)), _) => ("title", format!("{:.0} % of the words are in the name or title", share * 100.0)),
            (None, share) => {
                ("literal", format!("{:.0} % of what was typed literally stands there", share.unwrap_or(0.0) * 100.0))
            }
        };
        children.push(leaf(name, rest, detail));
    }
    Explanation { value: contender.score, name: "relevance".to_owned(), detail: String::new(), children }
}
