//! A disk that fails on demand, keeps unsynced writes to itself, and loses some of them in a power cut.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use parking_lot::Mutex;
use store::disk::{Disk, DiskFile, Files};

const PAGE_BYTES: u64 = 4096;

/// What is wrong with the disk.
#[derive(Default)]
pub struct Faults {
    /// Writes fail.
    pub writes: AtomicBool,
    /// Syncs fail.
    pub syncs: AtomicBool,
    /// Writes run out of space halfway.
    pub halfway: AtomicBool,
    /// New files find no space.
    pub full: AtomicBool,
    /// New files in a folder of this name find no space.
    pub full_folder: Mutex<Option<&'static str>>,
    /// Everything fails from now on.
    pub dead: AtomicBool,
    /// Syncs until the power goes; none when negative.
    syncs_left: AtomicI64,
    /// Steps until everything fails; none when negative.
    steps_left: AtomicI64,
    /// Which unsynced pages reach the disk when the power goes: bit by bit, again from the first after the last.
    survivors: Mutex<Vec<bool>>,
}

/// The disk.
#[derive(Clone)]
pub struct Breakable {
    pub faults: Arc<Faults>,
}

impl Breakable {
    pub fn new() -> Self {
        let never = || AtomicI64::new(-1);
        let faults = Faults { syncs_left: never(), steps_left: never(), ..Faults::default() };
        Self { faults: Arc::new(faults) }
    }

    /// Lets the power go at the `syncs`-th sync from now; of the pages not synced then, `survivors` reach the disk.
    pub fn cut_at(&self, syncs: i64, survivors: Vec<bool>) {
        *self.faults.survivors.lock() = survivors;
        self.faults.syncs_left.store(syncs, Ordering::SeqCst);
    }

    pub fn set(fault: &AtomicBool, on: bool) {
        fault.store(on, Ordering::SeqCst);
    }

    /// Stops everything, as a killed process would: nothing is written any more.
    pub fn die(&self) {
        Self::set(&self.faults.dead, true);
    }

    /// Lets `steps` operations succeed from now on, and nothing after them.
    pub fn die_after(&self, steps: i64) {
        self.faults.steps_left.store(steps, Ordering::SeqCst);
    }

    pub fn is_dead(&self) -> bool {
        self.faults.dead.load(Ordering::SeqCst)
    }

    fn alive(&self) -> io::Result<()> {
        if self.faults.steps_left.fetch_sub(1, Ordering::SeqCst) == 0 {
            self.die();
        }
        if self.faults.dead.load(Ordering::SeqCst) { Err(eio()) } else { Ok(()) }
    }

    fn file(&self, real: Arc<dyn DiskFile>) -> Arc<dyn DiskFile> {
        Arc::new(BreakableFile { disk: self.clone(), real, unsynced: Mutex::default() })
    }
}

impl Disk for Breakable {
    fn create(&self, path: &Path, bytes: u64) -> io::Result<Arc<dyn DiskFile>> {
        self.alive()?;
        let full_folder = *self.faults.full_folder.lock();
        let is_full = full_folder.is_some_and(|name| path.iter().any(|part| part == name));
        if is_full || self.faults.full.load(Ordering::SeqCst) {
            return Err(enospc());
        }
        Ok(self.file(Files.create(path, bytes)?))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        self.alive()?;
        Ok(self.file(Files.open(path)?))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.alive()?;
        Files.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.alive()?;
        Files.remove(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.alive()?;
        Files.sync_folder(path)
    }
}

struct BreakableFile {
    disk: Breakable,
    real: Arc<dyn DiskFile>,
    unsynced: Mutex<Vec<(u64, Vec<u8>)>>,
}

impl BreakableFile {
    fn write_through(&self) -> io::Result<()> {
        self.unsynced.lock().drain(..).try_for_each(|(offset, bytes)| self.real.write_all_at(&bytes, offset))
    }

    /// Writes the pages that survive, and nothing ever after.
    fn lose_power(&self) {
        self.disk.die();
        let survivors = self.disk.faults.survivors.lock().clone();
        let mut survivors = survivors.iter().cycle();
        for (offset, bytes) in self.unsynced.lock().drain(..) {
            let mut at = 0;
            while at < bytes.len() {
                let place = offset + at as u64;
                let page_rest = (PAGE_BYTES - place % PAGE_BYTES) as usize;
                let end = bytes.len().min(at + page_rest);
                if survivors.next().is_some_and(|survives| *survives) {
                    self.real.write_all_at(&bytes[at..end], place).unwrap();
                }
                at = end;
            }
        }
    }
}

impl DiskFile for BreakableFile {
    fn size(&self) -> io::Result<u64> {
        self.real.size()
    }

    fn grow(&self, bytes: u64) -> io::Result<()> {
        self.disk.alive()?;
        self.real.grow(bytes)
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.real.read_exact_at(buffer, offset)?;
        for (start, bytes) in &*self.unsynced.lock() {
            for (at, byte) in (*start..).zip(bytes) {
                if let Some(there) = at.checked_sub(offset).and_then(|at| buffer.get_mut(at as usize)) {
                    *there = *byte;
                }
            }
        }
        Ok(())
    }

    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.disk.alive()?;
        if self.disk.faults.writes.load(Ordering::SeqCst) {
            return Err(eio());
        }
        if self.disk.faults.halfway.load(Ordering::SeqCst) {
            self.real.write_all_at(&bytes[..bytes.len() / 2], offset)?;
            return Err(enospc());
        }
        self.unsynced.lock().push((offset, bytes.to_vec()));
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        self.disk.alive()?;
        if self.disk.faults.syncs.load(Ordering::SeqCst) {
            return Err(eio());
        }
        if self.disk.faults.syncs_left.fetch_sub(1, Ordering::SeqCst) == 0 {
            self.lose_power();
            return Err(eio());
        }
        self.write_through()
    }
}

fn eio() -> io::Error {
    io::Error::from_raw_os_error(5)
}

fn enospc() -> io::Error {
    io::Error::from_raw_os_error(28)
}
