//! Lays a word processor's paragraphs, lists, tables and asides out as text, in the order they are read.
//!
//! Whoever reads a document calls what it meets; the flow decides on lines and gaps. Headings, items and
//! rows look as they do for pages of HTML. What stands beside a paragraph (a text box, a footnote, a
//! comment) follows behind it, so that the paragraph itself stays in one piece. Finished text goes to the
//! sink piece by piece. Opening and closing need not fit: what was never opened closes nothing.

mod block;
mod label;

use bethink_core::{Locator, Problem};

use crate::family::{Member, Sink};
use crate::text::without_controls;
pub(crate) use block::Style;
use block::{Block, Kind, joined};
pub(crate) use label::{alternative, counted};

/// Finished text is handed over in pieces of about this size.
const PIECE_BYTES: usize = 64 << 10;

/// Containers (cells, asides) inside each other that are told apart; text in deeper ones belongs to the
/// deepest. Real documents nest three or four tables.
const CONTAINERS_DEEP: usize = 64;

/// What a container is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// The document itself: its blocks go to the sink.
    Document,
    /// A table row that is open: holds finished cells.
    Row,
    /// A cell of the row below it.
    Cell,
    /// What stands beside a paragraph.
    Aside,
}

/// Blocks that are being gathered.
#[derive(Debug)]
struct Container {
    role: Role,
    /// The paragraph that is open.
    open: String,
    blocks: Vec<Block>,
    /// A row's finished cells.
    cells: Vec<Vec<Block>>,
    /// What follows the open paragraph.
    asides: Vec<Block>,
}

impl Container {
    fn new(role: Role) -> Self {
        Self { role, open: String::new(), blocks: Vec::new(), cells: Vec::new(), asides: Vec::new() }
    }
}

/// A document's text on its way to the sink.
pub(crate) struct Flow<'a> {
    sink: &'a mut dyn Sink,
    ready: String,
    /// The kind of the last block in the text, within the current place.
    last: Option<Kind>,
    full: bool,
    any: bool,
    containers: Vec<Container>,
    /// Containers that were opened beyond the deepest.
    beyond: usize,
}

impl<'a> Flow<'a> {
    /// A flow into a sink.
    pub(crate) fn new(sink: &'a mut dyn Sink) -> Self {
        let containers = vec![Container::new(Role::Document)];
        Self { sink, ready: String::new(), last: None, full: false, any: false, containers, beyond: 0 }
    }

    /// Whether the sink takes no more.
    pub(crate) fn is_full(&self) -> bool {
        self.full
    }

    /// Whether any text has come.
    pub(crate) fn has_text(&self) -> bool {
        self.any || self.containers.iter().any(|container| !container.open.trim().is_empty())
    }

    /// Something was met and survived.
    pub(crate) fn problem(&mut self, problem: Problem) {
        self.sink.problem(problem);
    }

    /// A file inside the document. False: no more are taken.
    pub(crate) fn member(&mut self, member: Member) -> bool {
        self.sink.member(member)
    }

    /// What follows stands at this place: closes everything that is open.
    pub(crate) fn mark(&mut self, locator: Locator) {
        self.close_all();
        if !self.ready.is_empty() {
            self.ready.push('\n');
        }
        self.hand_over();
        self.last = None;
        self.sink.mark(locator);
    }

    /// Characters of the open paragraph. Soft hyphens are for the printer and vanish.
    pub(crate) fn text(&mut self, run: &str) {
        let open = &mut self.top().open;
        if run.contains('\u{ad}') {
            open.extend(run.chars().filter(|character| *character != '\u{ad}'));
        } else {
            open.push_str(run);
        }
    }

    /// What follows in the document stands apart from what came before.
    pub(crate) fn blank(&mut self) {
        if self.last == Some(Kind::Line) && self.top().role == Role::Document {
            self.last = Some(Kind::Plain);
        }
    }

    /// Whether the open paragraph has no characters yet.
    pub(crate) fn at_start(&self) -> bool {
        self.containers.last().is_none_or(|container| container.open.is_empty())
    }

    /// The open paragraph ends and was of this style. One without words leaves nothing behind.
    pub(crate) fn end_paragraph(&mut self, style: &Style) {
        let text = std::mem::take(&mut self.top().open);
        let asides = std::mem::take(&mut self.top().asides);
        if let Some(block) = Block::paragraph(&text, style) {
            self.push(block);
        }
        asides.into_iter().for_each(|block| self.push(block));
    }

    /// A paragraph of its own, with what is beside it kept for the one that is open.
    pub(crate) fn paragraph(&mut self, text: &str, style: &Style) {
        if let Some(block) = Block::paragraph(text, style) {
            self.push(block);
        }
    }

    /// A whole text, whose lines stay as they are, to follow the open paragraph.
    pub(crate) fn aside(&mut self, text: &str) {
        if let Some(block) = Block::paragraph(text, &Style::Plain) {
            self.top().asides.push(block);
        }
    }

    /// What follows stands beside the open paragraph, until [`Self::close_aside`].
    pub(crate) fn open_aside(&mut self) {
        self.open(Role::Aside);
    }

    /// Ends an aside; it will follow the paragraph that it stands in.
    pub(crate) fn close_aside(&mut self) {
        if let Some(aside) = self.close(Role::Aside) {
            self.top().asides.extend(aside.blocks);
        }
    }

    /// Ends an aside and takes its text out of the flow.
    pub(crate) fn take_aside(&mut self) -> String {
        self.close(Role::Aside).map(|aside| joined(&aside.blocks)).unwrap_or_default()
    }

    /// A table row begins.
    pub(crate) fn open_row(&mut self) {
        // Text that a table interrupts stands before it.
        if self.containers.last().is_some_and(|container| matches!(container.role, Role::Document | Role::Cell)) {
            self.end_paragraph(&Style::Plain);
        }
        self.open(Role::Row);
    }

    /// A cell of the open row begins.
    pub(crate) fn open_cell(&mut self) {
        self.open(Role::Cell);
    }

    /// The open cell ends.
    pub(crate) fn close_cell(&mut self) {
        if let Some(cell) = self.close(Role::Cell) {
            self.top().cells.push(cell.blocks);
        }
    }

    /// The open row ends: a line of its cells, or one cell after the other where they are whole texts.
    pub(crate) fn close_row(&mut self) {
        if let Some(row) = self.close(Role::Row) {
            for block in block::row(row.cells, row.blocks) {
                self.push(block);
            }
        }
    }

    /// Everything that is open ends, and the text is handed over.
    pub(crate) fn finish(mut self) {
        self.close_all();
        if !self.ready.is_empty() {
            self.ready.push('\n');
        }
        self.hand_over();
    }

    fn close_all(&mut self) {
        self.beyond = 0;
        while self.containers.len() > 1 {
            match self.containers.last().map(|container| container.role) {
                Some(Role::Cell) => self.close_cell(),
                Some(Role::Row) => self.close_row(),
                _ => self.close_aside(),
            }
        }
        self.end_paragraph(&Style::Plain);
    }

    fn top(&mut self) -> &mut Container {
        if self.containers.is_empty() {
            self.containers.push(Container::new(Role::Document));
        }
        let last = self.containers.len() - 1;
        &mut self.containers[last]
    }

    fn open(&mut self, role: Role) {
        if self.containers.len() < CONTAINERS_DEEP && self.beyond == 0 {
            self.containers.push(Container::new(role));
        } else {
            self.beyond += 1;
        }
    }

    /// Takes the innermost container if it is of that role, its open paragraph ended.
    fn close(&mut self, role: Role) -> Option<Container> {
        if self.beyond > 0 {
            self.beyond -= 1;
            return None;
        }
        if self.containers.last()?.role != role {
            return None;
        }
        self.end_paragraph(&Style::Plain);
        self.containers.pop()
    }

    fn push(&mut self, block: Block) {
        let top = self.top();
        if top.role != Role::Document {
            return top.blocks.push(block);
        }
        if self.full {
            return;
        }
        if let Some(last) = self.last {
            self.ready.push_str(block::gap(last, block.kind));
        }
        self.ready.push_str(&block.text);
        self.last = Some(block.kind);
        self.any = true;
        if self.ready.len() > PIECE_BYTES {
            self.hand_over();
        }
    }

    fn hand_over(&mut self) {
        if !self.ready.is_empty() && !self.full {
            self.full = !self.sink.text(without_controls(std::mem::take(&mut self.ready)));
        }
        self.ready.clear();
    }
}

/// A sink for text that is placed elsewhere later.
#[derive(Debug, Default)]
pub(crate) struct Gathered(pub(crate) String);

impl Sink for Gathered {
    fn title(&mut self, _: String) {}

    fn mark(&mut self, _: Locator) {}

    fn text(&mut self, text: String) -> bool {
        self.0.push_str(&text);
        true
    }

    fn problem(&mut self, _: Problem) {}

    fn member(&mut self, _: Member) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid_out(write: impl FnOnce(&mut Flow<'_>)) -> String {
        let mut gathered = Gathered::default();
        let mut flow = Flow::new(&mut gathered);
        write(&mut flow);
        flow.finish();
        gathered.0
    }

    #[test]
    fn headings_items_and_rows_look_as_in_markdown() {
        let text = laid_out(|flow| {
            flow.text("The\ntram");
            flow.end_paragraph(&Style::Heading(2));
            flow.text("It climbs.");
            flow.end_paragraph(&Style::Plain);
            flow.end_paragraph(&Style::Heading(1));
            for (depth, label) in [(0, None), (1, Some("a)".to_owned()))] {
                flow.text("stop");
                flow.end_paragraph(&Style::Item { depth, label });
            }
            for row in [["Stop", "Time"], ["Graça", ""]] {
                flow.open_row();
                for cell in row {
                    flow.open_cell();
                    flow.text(cell);
                    flow.end_paragraph(&Style::Plain);
                    flow.close_cell();
                }
                flow.close_row();
            }
        });
        assert_eq!(text, "## The tram\n\nIt climbs.\n\n- stop\n  a) stop\n\nStop | Time\nGraça\n");
    }

    #[test]
    fn an_aside_follows_its_paragraph() {
        let text = laid_out(|flow| {
            flow.text("before ");
            flow.open_aside();
            flow.text("in the box");
            flow.end_paragraph(&Style::Plain);
            flow.close_aside();
            flow.aside("Comment by Ada: why?");
            flow.text("after");
            flow.end_paragraph(&Style::Plain);
        });
        assert_eq!(text, "before after\n\nin the box\n\nComment by Ada: why?\n");
    }

    #[test]
    fn a_table_that_lays_out_a_page_is_read_cell_by_cell() {
        let text = laid_out(|flow| {
            flow.open_row();
            for cell in ["left", "right"] {
                flow.open_cell();
                flow.text("Title");
                flow.end_paragraph(&Style::Heading(1));
                flow.text(cell);
                flow.end_paragraph(&Style::Plain);
                flow.close_cell();
            }
            flow.close_row();
        });
        assert_eq!(text, "# Title\n\nleft\n\n# Title\n\nright\n");
    }

    #[test]
    fn what_was_never_opened_closes_nothing_and_depth_has_an_end() {
        let text = laid_out(|flow| {
            flow.close_cell();
            flow.close_row();
            flow.close_aside();
            for _ in 0..10_000 {
                flow.open_row();
                flow.open_cell();
            }
            flow.text("deep");
            for _ in 0..10_000 {
                flow.close_cell();
                flow.close_row();
            }
            flow.text("out");
        });
        assert_eq!(text, "deep\n\nout\n");
    }
}
