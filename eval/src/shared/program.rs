//! The program as a child process, with its time, memory and messages.

use crate::Stop;
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;
use wait4::Wait4;

/// A working folder, removed on drop.
pub(crate) struct Work {
    pub(crate) path: PathBuf,
}

impl Work {
    /// A folder for a measurement, below the one given or that for temporary files.
    pub(crate) fn create(below: Option<&Path>, name: &str) -> Result<Work, Stop> {
        let below = below.map_or_else(std::env::temp_dir, Path::to_path_buf);
        let path = below.join(format!("dehusk-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Work { path: path.canonicalize()? })
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// The program to measure: the one given, or the one next to this program.
pub(crate) fn find_program(given: Option<&Path>) -> Result<PathBuf, Stop> {
    let path = match given {
        Some(path) => path.to_path_buf(),
        None => std::env::current_exe()?.with_file_name("dehusk"),
    };
    let absent = |_| Stop::Absent(format!("{} does not exist; build it with `cargo build --release`", path.display()));
    path.canonicalize().map_err(absent)
}

/// The program and its working folder. All paths are relative to that folder, so messages contain no others.
pub(crate) struct Program {
    path: PathBuf,
    pub(crate) work: PathBuf,
}

/// Exit status and cost of a run.
pub(crate) struct Outcome {
    pub(crate) code: i32,
    pub(crate) seconds: f64,
    pub(crate) processor: f64,
    pub(crate) peak: u64,
    pub(crate) messages: String,
}

impl Outcome {
    /// The run, or an error if it failed.
    pub(crate) fn done(self) -> Result<Outcome, Stop> {
        match self.code {
            0 => Ok(self),
            code => Err(Stop::Broken(format!("dehusk ended with {code}: {}", self.messages.trim_end()))),
        }
    }
}

impl Program {
    pub(crate) fn new(path: PathBuf, work: PathBuf) -> Program {
        Program { path, work }
    }

    /// A path below the working folder.
    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.work.join(name)
    }

    /// Runs `dehusk` with arguments and waits for it.
    pub(crate) fn run(&self, arguments: &[&str]) -> Result<Outcome, Stop> {
        self.run_behind(&[], arguments)
    }

    /// Runs `dehusk` through another program, such as one that drops privileges.
    pub(crate) fn run_behind(&self, before: &[&str], arguments: &[&str]) -> Result<Outcome, Stop> {
        let messages = self.at("messages.txt");
        // A child inherits the peak memory of its parent. A small process in between keeps ours out of the figures.
        let output = Command::new(std::env::current_exe()?)
            .arg("measured")
            .arg("--")
            .args(before)
            .arg(&self.path)
            .args(arguments)
            .current_dir(&self.work)
            .stdin(Stdio::null())
            .stderr(File::create(&messages)?)
            .output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let mut numbers = text.split_whitespace();
        let mut number = || {
            let number = numbers.next().and_then(|number| number.parse::<f64>().ok());
            number.ok_or_else(|| Stop::Broken(format!("dehusk cannot be measured: {text}")))
        };
        Ok(Outcome {
            code: number()? as i32,
            seconds: number()?,
            processor: number()?,
            peak: number()? as u64,
            messages: std::fs::read_to_string(messages)?,
        })
    }

    /// Starts `dehusk`, to be killed.
    pub(crate) fn start(&self, arguments: &[&str]) -> Result<Child, Stop> {
        let mut command = Command::new(&self.path);
        command.args(arguments).current_dir(&self.work);
        Ok(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?)
    }
}

/// Runs a program and prints its exit code, wall-clock and CPU seconds, and peak memory in bytes.
pub(crate) fn measured(command: &[OsString]) -> Result<(), Stop> {
    let Some((program, arguments)) = command.split_first() else { return Ok(()) };
    let start = Instant::now();
    let mut child = Command::new(program).args(arguments).stdout(Stdio::null()).spawn()?;
    let used = child.wait4()?;
    let processor = used.rusage.utime + used.rusage.stime;
    // Ended by a signal: no code.
    let code = used.status.code().unwrap_or(-1);
    println!("{code} {} {} {}", start.elapsed().as_secs_f64(), processor.as_secs_f64(), used.rusage.maxrss);
    Ok(())
}
