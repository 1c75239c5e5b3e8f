//! Fenced code blocks, line by line, as the CommonMark specification describes them (section 4.5).
//!
//! An opening fence may be indented as deeply as it likes, for fences stand in list items too.

/// Marks that make a fence, at least.
const MARKS_MIN: usize = 3;
/// How much deeper than its opening fence a closing one may be indented.
const DEEPER_MAX: usize = 3;

/// Says whether a line stands inside a fenced code block.
#[derive(Debug, Default)]
pub(super) struct Fences {
    open: Option<Fence>,
    line: Fence,
    part: Part,
}

/// A fence, or what may become one.
#[derive(Debug, Clone, Copy, Default)]
struct Fence {
    indent: usize,
    mark: char,
    marks: usize,
    /// Whether anything follows the marks.
    has_info: bool,
}

/// The part of a line that is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Indent,
    Marks,
    Info,
    /// The line is no fence.
    Other,
}

impl Fences {
    /// Says whether the lines from here on are code.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Takes the next character of a line; a line's end among them does no harm.
    pub(super) fn feed(&mut self, c: char) {
        self.part = match self.part {
            Part::Indent if c == ' ' || c == '\t' => {
                self.line.indent += 1;
                Part::Indent
            }
            Part::Indent if c == '`' || c == '~' => {
                (self.line.mark, self.line.marks) = (c, 1);
                Part::Marks
            }
            Part::Marks if c == self.line.mark => {
                self.line.marks += 1;
                Part::Marks
            }
            Part::Marks | Part::Info if c == '`' && self.line.mark == '`' => Part::Other,
            Part::Marks | Part::Info => {
                self.line.has_info |= !c.is_whitespace();
                Part::Info
            }
            Part::Indent | Part::Other => Part::Other,
        };
    }

    /// Ends the line.
    pub(super) fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let part = std::mem::take(&mut self.part);
        if !matches!(part, Part::Marks | Part::Info) || line.marks < MARKS_MIN {
            return;
        }
        match self.open {
            None => self.open = Some(line),
            Some(open) if line.closes(&open) => self.open = None,
            Some(_) => {}
        }
    }
}

impl Fence {
    fn closes(&self, open: &Self) -> bool {
        self.mark == open.mark
            && self.marks >= open.marks
            && self.indent <= open.indent + DEEPER_MAX
            && !self.has_info
    }
}
