//! Plans that a model writes into its text, between `<proposed_plan>` and `</proposed_plan>`.
//!
//! Start reading at [`ProposedPlanParser::push`]. A tag counts where it stands alone on its line, blanks around it
//! aside; tag lines vanish, everything else is visible text or plan text, in order. Pure, and indifferent to how
//! the text is cut into chunks. A block that is still open at the end is closed there.
//!
//! Models are careless with tags, and a plan must neither be lost nor made up, so:
//!
//! * A tag inside a fenced code block is text. A fence that opens inside a plan does not count, for a plan that
//!   forgot to close its fence ends all the same.
//! * A closing tag at the end of a line of plan text ends the plan there.
//! * An opening tag at the end of a line of text opens no block while it streams: it may be a mere mention. When a
//!   closing tag follows later, [`extract`] finds the plan in between; the same for one with text behind it.
//! * An empty block does not take the place of a plan that came before it.
//! * A byte order mark counts as a blank, and blanks may stand before a tag's `>`.
//! * At most [`HELD_BYTES_MAX`] bytes wait for what follows them; a longer line is text.

mod fence;
#[cfg(test)]
mod tests;

use fence::Fences;

/// Bytes at the start of a line, or behind a `<` of a plan, that may wait until it is clear what they are.
pub const HELD_BYTES_MAX: usize = 256;

/// An opening tag up to its `>`.
const OPEN: &str = "<proposed_plan";
/// A closing tag up to its `>`.
const CLOSE: &str = "</proposed_plan";

/// One piece of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// Text outside plans; never empty.
    Text(String),
    /// A plan begins.
    PlanStart,
    /// Text of the plan; never empty.
    Plan(String),
    /// The plan is whole.
    PlanEnd,
}

/// Tells plan text from other text while both stream in.
#[derive(Debug, Default)]
pub struct ProposedPlanParser {
    in_plan: bool,
    /// The end of what came, if it may be part of a tag.
    held: String,
    stage: Stage,
    fences: Fences,
    out: Vec<Segment>,
}

/// How far the held text is on the way to a tag line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Stage {
    /// Blanks at the start of a line, or nothing.
    #[default]
    Lead,
    /// So many bytes of the tag.
    Name(usize),
    /// The tag's name, and blanks.
    Gap,
    /// The whole tag, and blanks.
    Whole,
    /// Nothing is held: the line is text so far.
    Text,
}

impl Stage {
    /// Returns the stage after `c`, if that may still become the line of `tag`.
    fn after(self, c: char, tag: &str) -> Option<Self> {
        match self {
            Self::Lead if is_blank(c) => Some(Self::Lead),
            Self::Lead if c == '<' => Some(Self::Name(1)),
            Self::Name(count) if tag[count..].starts_with(c) => Some(Self::Name(count + 1)),
            Self::Name(count) if count < tag.len() => None,
            Self::Name(_) | Self::Gap if c == '>' => Some(Self::Whole),
            Self::Name(_) | Self::Gap if is_blank(c) => Some(Self::Gap),
            Self::Whole if is_blank(c) => Some(Self::Whole),
            Self::Lead | Self::Name(_) | Self::Gap | Self::Whole | Self::Text => None,
        }
    }
}

fn is_blank(c: char) -> bool {
    c != '\n' && (c.is_whitespace() || c == '\u{feff}')
}

impl ProposedPlanParser {
    /// Takes the next chunk and returns what is clear now; neighbours of one kind are one segment.
    pub fn push(&mut self, chunk: &str) -> Vec<Segment> {
        chunk.chars().for_each(|c| self.take(c));
        std::mem::take(&mut self.out)
    }

    /// Returns what was held back, and closes the open block. The parser is as new afterwards.
    pub fn finish(&mut self) -> Vec<Segment> {
        self.end_line();
        if self.in_plan {
            self.out.push(Segment::PlanEnd);
        }
        std::mem::take(self).out
    }

    fn take(&mut self, c: char) {
        if c == '\n' {
            if !self.end_line() {
                self.emit(c);
            }
            return;
        }
        if !self.in_plan {
            self.fences.feed(c);
        }
        match self.stage.after(c, if self.in_plan { CLOSE } else { OPEN }) {
            Some(stage) if self.held.len() < HELD_BYTES_MAX => {
                self.held.push(c);
                self.stage = stage;
            }
            _ => self.take_text(c),
        }
    }

    /// What is held is text, and so is `c`, unless it begins a closing tag.
    fn take_text(&mut self, c: char) {
        self.release();
        if self.in_plan && c == '<' {
            self.held.push(c);
            self.stage = Stage::Name(1);
        } else {
            self.emit(c);
            self.stage = Stage::Text;
        }
    }

    /// Decides on what is held; says whether it is a tag, which swallows the line's end.
    fn end_line(&mut self) -> bool {
        let is_tag = self.stage == Stage::Whole;
        if is_tag {
            self.held.clear();
            self.out.push(if self.in_plan { Segment::PlanEnd } else { Segment::PlanStart });
            self.in_plan = !self.in_plan;
        } else {
            self.release();
        }
        self.fences.end_line();
        self.stage = if self.fences.is_open() { Stage::Text } else { Stage::Lead };
        is_tag
    }

    fn release(&mut self) {
        let held = std::mem::take(&mut self.held);
        held.chars().for_each(|c| self.emit(c));
    }

    fn emit(&mut self, c: char) {
        match (self.in_plan, self.out.last_mut()) {
            (false, Some(Segment::Text(text))) | (true, Some(Segment::Plan(text))) => text.push(c),
            (false, _) => self.out.push(Segment::Text(c.to_string())),
            (true, _) => self.out.push(Segment::Plan(c.to_string())),
        }
    }
}

/// Returns `text` without its plans and their tag lines.
#[must_use]
pub fn strip(text: &str) -> String {
    let visible = segments(text).into_iter().filter_map(|segment| match segment {
        Segment::Text(text) => Some(text),
        Segment::PlanStart | Segment::Plan(_) | Segment::PlanEnd => None,
    });
    visible.collect()
}

/// Returns the last plan of `text` that says something; an empty one if there are only such; none without any.
#[must_use]
pub fn extract(text: &str) -> Option<String> {
    let mut plans: Vec<String> = Vec::new();
    for segment in segments(text) {
        match segment {
            Segment::PlanStart => plans.push(String::new()),
            Segment::Plan(text) => plans.last_mut().expect("a plan begins first").push_str(&text),
            Segment::Text(_) | Segment::PlanEnd => {}
        }
    }
    let newest = plans.iter().rfind(|plan| says_something(plan)).or(plans.last()).cloned();
    newest.or_else(|| inline_plan(text))
}

fn segments(text: &str) -> Vec<Segment> {
    let mut parser = ProposedPlanParser::default();
    let mut segments = parser.push(text);
    segments.extend(parser.finish());
    segments
}

/// Returns the last plan whose opening tag shares its line with text; a closing tag must end a later line.
fn inline_plan(text: &str) -> Option<String> {
    let mut fences = Fences::default();
    let (mut open, mut newest) = (None::<String>, None);
    for line in text.split_inclusive('\n') {
        match (open.take(), before_closing_tag(line)) {
            (Some(plan), None) => open = Some(plan + line),
            (Some(plan), Some(rest)) => {
                newest = Some(plan + rest).filter(|plan| says_something(plan)).or(newest)
            }
            (None, _) => {
                let in_fence = fences.is_open();
                line.chars().for_each(|c| fences.feed(c));
                fences.end_line();
                open = behind_opening_tag(line).filter(|_| !in_fence).map(str::to_owned);
            }
        }
    }
    newest
}

fn says_something(plan: &str) -> bool {
    !plan.trim().is_empty()
}

/// Returns what follows an opening tag at the start or at the end of a line.
fn behind_opening_tag(line: &str) -> Option<&str> {
    let (before, after) = line.rsplit_once(OPEN)?;
    let rest = after.trim_start_matches(is_blank).strip_prefix('>')?;
    let is_at_end = rest.trim_matches(is_blank).trim().is_empty();
    let is_at_start = before.trim_matches(is_blank).is_empty();
    if is_at_end { Some("") } else { is_at_start.then_some(rest) }
}

/// Returns what stands before a closing tag at the end of a line; nothing if that is blank.
fn before_closing_tag(line: &str) -> Option<&str> {
    let tag = line.trim_end_matches('\n').trim_end_matches(is_blank).strip_suffix('>')?;
    let before = tag.trim_end_matches(is_blank).strip_suffix(CLOSE)?;
    Some(if before.trim_matches(is_blank).is_empty() { "" } else { before })
}
