//! A file system in a file, mounted, of which the state on its disk can be copied at any moment.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const OUTER_BYTES: u64 = 400 << 20;
const INNER_BYTES: u64 = 100 << 20;

/// A mount that ends with this.
struct Mount(PathBuf);

impl Mount {
    fn of(image: &Path, place: &Path) -> Result<Self, String> {
        fs::create_dir_all(place).map_err(|error| error.to_string())?;
        run("mount", &["-o", "loop", text(image), text(place)])?;
        Ok(Self(place.to_owned()))
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        // At once where nothing uses it any more, so that nothing of it is written later.
        let done = run("umount", &[text(&self.0)]).or_else(|_| run("umount", &["-l", text(&self.0)]));
        if let Err(error) = done {
            eprintln!("{error}");
        }
    }
}

/// The file system. Its disk is a file on another one, which stands still while that file is copied: the copy is what
/// a power cut at that moment leaves.
pub struct Mounted {
    folder: PathBuf,
    cuts: u32,
    /// Before the outer one: it is unmounted first.
    inner: Mount,
    outer: Mount,
}

impl Mounted {
    /// Makes it in `folder`, or says what this machine lacks for it.
    pub fn new(folder: &Path) -> Result<Self, String> {
        let image = make(&folder.join("outer.img"), OUTER_BYTES)?;
        let outer = Mount::of(&image, &folder.join("outer"))?;
        let image = make(&outer.0.join("inner.img"), INNER_BYTES)?;
        let inner = Mount::of(&image, &folder.join("inner"))?;
        Ok(Self { folder: folder.to_owned(), cuts: 0, inner, outer })
    }

    pub fn path(&self) -> &Path {
        &self.inner.0
    }

    /// Calls `check` with the file system as it is after a power cut at this moment.
    pub fn after_a_power_cut(&mut self, check: impl FnOnce(&Path)) {
        self.cuts += 1;
        let copied = self.folder.join(format!("cut{}.img", self.cuts));
        run("fsfreeze", &["-f", text(&self.outer.0)]).unwrap();
        let done = run("cp", &["--sparse=always", text(&self.outer.0.join("inner.img")), text(&copied)]);
        run("fsfreeze", &["-u", text(&self.outer.0)]).unwrap();
        done.unwrap();
        let cut = Mount::of(&copied, &self.folder.join("cut")).unwrap();
        check(&cut.0);
        drop(cut);
        fs::remove_file(&copied).unwrap();
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn make(image: &Path, bytes: u64) -> Result<PathBuf, String> {
    let made = fs::File::create(image).and_then(|file| file.set_len(bytes));
    made.map_err(|error| error.to_string())?;
    run("mkfs.ext4", &["-q", "-F", text(image)])?;
    Ok(image.to_owned())
}

fn run(program: &str, arguments: &[&str]) -> Result<(), String> {
    let output =
        Command::new(program).args(arguments).output().map_err(|error| format!("{program}: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(()) } else { Err(format!("{program}: {}", said.trim())) }
}
