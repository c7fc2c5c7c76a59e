//! Folder that paths cannot leave.

use std::io::{self, ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, Metadata, OpenOptions};

use super::{QueryWork, SubstrateError};

/// Longest path in bytes.
const MAX_PATH: usize = 4096;

/// Root folder. Every path is opened relative to it, so that neither `..` nor a link can leave it, also if links are changed
/// meanwhile (`openat2` with `RESOLVE_BENEATH` on Linux, one component at a time elsewhere).
#[derive(Debug)]
pub(super) struct RootFolder {
    dir: Dir,
    path: PathBuf,
}

impl RootFolder {
    pub(super) fn open(path: &Path) -> Result<Self, SubstrateError> {
        let fail = |error| {
            SubstrateError::unreachable(format!("cannot open the root {}: {error}", path.display()))
        };
        let dir = Dir::open_ambient_dir(path, ambient_authority()).map_err(fail)?;
        let path = path.canonicalize().map_err(fail)?;
        Ok(Self { dir, path })
    }

    /// Path of the root, for libraries that open files themselves.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads a whole regular file.
    pub(super) fn read(&self, path: &str, work: QueryWork<'_>) -> Result<Vec<u8>, SubstrateError> {
        let (file, metadata) = self.file(path)?;
        read_open(path, file, &metadata, work)
    }

    /// Opens a regular file.
    pub(super) fn file(&self, path: &str) -> Result<(File, Metadata), SubstrateError> {
        let relative = self.relative(path)?;
        // To open a device or a named pipe can have effects or block, so that its kind is asked for first.
        let metadata = self.dir.metadata(relative);
        let metadata = metadata.map_err(|error| io_error(path, &error))?;
        require_file(path, &metadata)?;
        let mut options = OpenOptions::new();
        options.read(true);
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt as _;
            // A named pipe that has come meanwhile does not block.
            let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
            options.custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
        }
        let file = self.dir.open_with(relative, &options);
        let file = file.map_err(|error| io_error(path, &error))?;
        let metadata = file.metadata().map_err(|error| io_error(path, &error))?;
        require_file(path, &metadata)?;
        require_storage(path, &file)?;
        Ok((file, metadata))
    }

    /// Metadata of a file or folder.
    pub(super) fn metadata(&self, path: &str) -> Result<Metadata, SubstrateError> {
        let metadata = match self.relative(path)? {
            relative if relative == Path::new(".") => self.dir.dir_metadata(),
            relative => self.dir.metadata(relative),
        };
        let metadata = metadata.map_err(|error| io_error(path, &error))?;
        // Only a folder can be opened whatever is in it.
        let folder = match metadata.is_dir() {
            true => Some(path),
            false => Path::new(path).parent().and_then(Path::to_str),
        };
        self.folder(folder.filter(|folder| !folder.is_empty()).unwrap_or("."))?;
        match metadata.is_file() || metadata.is_dir() {
            true => Ok(metadata),
            false => Err(not_a_file(path)),
        }
    }

    /// Opens a folder.
    pub(super) fn folder(&self, path: &str) -> Result<Dir, SubstrateError> {
        let dir = self.dir.open_dir(self.relative(path)?);
        let dir = dir.map_err(|error| io_error(path, &error))?;
        require_storage(path, &dir)?;
        Ok(dir)
    }

    /// Opens a Unix-domain socket without connecting to it.
    #[cfg(target_os = "linux")]
    pub(super) fn socket(&self, path: &str) -> Result<std::os::fd::OwnedFd, SubstrateError> {
        use rustix::fs::{FileType, Mode, OFlags, ResolveFlags, fstat, openat2};

        let relative = self.relative(path)?;
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        let fail = |error: rustix::io::Errno| io_error(path, &error.into());
        let file = openat2(&self.dir, relative, flags, Mode::empty(), resolve).map_err(fail)?;
        let status = fstat(&file).map_err(fail)?;
        match FileType::from_raw_mode(status.st_mode) {
            FileType::Socket => Ok(file),
            _ => Err(SubstrateError::refused(format!(
                "{}: expected a socket, found another kind of file",
                path.escape_debug()
            ))),
        }
    }

    /// Checks a path, and returns it.
    #[expect(clippy::unused_self, reason = "a path is relative to a root")]
    pub(super) fn relative<'p>(&self, path: &'p str) -> Result<&'p Path, SubstrateError> {
        let refuse = |what: &str| {
            let path: String = path.chars().take(200).collect();
            Err(SubstrateError::refused(format!(
                "path \"{}\": expected a path below the root, found {what}",
                path.escape_debug()
            )))
        };
        if path.is_empty() {
            return refuse("an empty path");
        }
        if path.len() > MAX_PATH {
            return refuse("one of more than 4096 bytes");
        }
        if path.contains('\0') {
            return refuse("a NUL");
        }
        for component in Path::new(path).components() {
            match component {
                Component::Normal(_) | Component::CurDir => {}
                Component::ParentDir => return refuse("\"..\""),
                Component::RootDir | Component::Prefix(_) => return refuse("an absolute path"),
            }
        }
        Ok(Path::new(path))
    }
}

/// Reads a file that is open.
pub(super) fn read_open(
    path: &str,
    file: File,
    metadata: &Metadata,
    work: QueryWork<'_>,
) -> Result<Vec<u8>, SubstrateError> {
    let max = work.limits.max_file;
    let too_long = |length: u64| {
        SubstrateError::limit(format!(
            "{}: expected a file of at most {max} bytes, found {length}",
            path.escape_debug()
        ))
    };
    if metadata.len() > max {
        return Err(too_long(metadata.len()));
    }
    let mut bytes = Vec::new();
    let mut file = file.take(max + 1);
    loop {
        work.check_time()?;
        let read = file.by_ref().take(1 << 20).read_to_end(&mut bytes);
        match read {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) => return Err(io_error(path, &error)),
        }
    }
    // The file may have grown.
    if bytes.len() as u64 > max {
        return Err(too_long(bytes.len() as u64));
    }
    Ok(bytes)
}

fn require_file(path: &str, metadata: &Metadata) -> Result<(), SubstrateError> {
    match metadata.is_file() {
        true => Ok(()),
        false => Err(not_a_file(path)),
    }
}

fn not_a_file(path: &str) -> SubstrateError {
    SubstrateError::refused(format!(
        "{}: expected a regular file, found another kind",
        path.escape_debug()
    ))
}

/// Refuses files that the kernel makes up, such as those in `/proc`: reading them can have effects, and they are about this process.
#[cfg(target_os = "linux")]
pub(super) fn require_storage(
    path: &str,
    file: impl std::os::fd::AsFd,
) -> Result<(), SubstrateError> {
    /// `proc`, `sysfs`, `debugfs`, `tracefs`, `securityfs`, `cgroup`, `cgroup2`, `bpf`, `devpts`.
    const MADE_UP: [i64; 9] = [
        0x9fa0,
        0x6265_6572,
        0x6462_6720,
        0x7472_6163,
        0x7363_6673,
        0x0027_e0eb,
        0x6367_7270,
        0xcafe_4a11,
        0x1cd1,
    ];
    let system = rustix::fs::fstatfs(file);
    let system = system.map_err(|error| io_error(path, &error.into()))?;
    #[allow(clippy::unnecessary_cast, reason = "the type depends on the platform")]
    match MADE_UP.contains(&(system.f_type as i64)) {
        true => Err(SubstrateError::refused(format!(
            "{}: expected a stored file, found one of the kernel",
            path.escape_debug()
        ))),
        false => Ok(()),
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn require_storage<F>(_path: &str, _file: F) -> Result<(), SubstrateError> {
    Ok(())
}

/// Sorts an error of the file system by what it means.
pub(super) fn io_error(path: &str, error: &io::Error) -> SubstrateError {
    let path = path.escape_debug();
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => {
            SubstrateError::gone(format!("{path}: no such file"))
        }
        // `EXDEV` of openat2 with RESOLVE_BENEATH, `ELOOP` of magic links, and what cap-std itself refuses.
        _ if is_escape(error) => SubstrateError::refused(format!(
            "{path}: expected a path below the root, found one that leaves it"
        )),
        _ => SubstrateError::unreachable(format!("{path}: {error}")),
    }
}

/// Returns `true` for the error of a path that leaves the root: that of the kernel, or that of cap-std, which has no code.
fn is_escape(error: &io::Error) -> bool {
    #[cfg(unix)]
    {
        let codes = [rustix::io::Errno::XDEV, rustix::io::Errno::LOOP];
        let mut codes = codes.into_iter().map(rustix::io::Errno::raw_os_error);
        if codes.any(|code| error.raw_os_error() == Some(code)) {
            return true;
        }
    }
    error.raw_os_error().is_none() && error.kind() == ErrorKind::PermissionDenied
}
