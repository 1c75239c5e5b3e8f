//! What is counted of those who are served.

use metrics::gauge;

/// Something that is counted for as long as it is there.
pub(crate) struct Counted(&'static str);

impl Counted {
    pub(crate) fn in_gauge(name: &'static str) -> Self {
        gauge!(name).increment(1);
        Self(name)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        gauge!(self.0).decrement(1);
    }
}
