//! A disk that cannot be written: full, read-only, or not the caller's. Each needs something of the system; where that is
//! not given the test says so and passes.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::geteuid;

use crate::node::PROGRAM;
use crate::terminal::Ran;

/// Runs a script of `sh` with a small disk of its own at `$D`, and `node` as the program on it. `None` where the system
/// gives nobody such a disk.
fn on_a_small_disk(script: &str) -> Option<Ran> {
    let place = tempfile::tempdir().unwrap();
    let in_its_own_space = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--mount", "sh", "-c", script, PROGRAM]).arg(place.path());
        command.stdin(Stdio::null()).output()
    };
    let mounts = "D=$1; mount -t tmpfs -o size=4m none $D || exit 99";
    if !in_its_own_space(mounts).is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: this system gives no disk of one's own (unshare, mount)");
        return None;
    }
    let node = "node() { \"$P\" \"$@\" --data $D; }";
    let whole = format!("{mounts}; P=$0; {node}; {script}");
    Some(Ran::of(&in_its_own_space(&whole).unwrap()))
}

/// What each command said on standard error, without what the apps have to say.
fn sentences(ran: &Ran) -> Vec<&str> {
    ran.err.lines().filter(|line| line.starts_with("archy-node: ")).collect()
}

const BEGINS: &str = "node grants open system && node down && before=$(cksum < $D/archy.db)";
const ENDS: &str = "[ \"$before\" = \"$(cksum < $D/archy.db)\" ] && echo untouched";

#[test]
fn a_full_disk_is_told_and_what_was_there_stays() {
    let script = format!(
        "{BEGINS}; head -c 9999999 /dev/zero > $D/files/fill 2>/dev/null
         node grants open apps; echo $?; node ask --no-model x; echo $?; {ENDS}
         rm $D/files/fill; node grants --json; node audit verify; node down >/dev/null"
    );
    let Some(ran) = on_a_small_disk(&script) else { return };
    let ends = "2\n2\nuntouched\n";
    let (_, after) = ran.out.split_once(ends).unwrap_or_else(|| panic!("{ran:?}"));
    assert!(after.contains(r#""open":["system"]"#) && after.contains("The audit is sound"), "{ran:?}");
    let sentences = sentences(&ran);
    assert_eq!(sentences.len(), 2, "{ran:?}");
    assert!(sentences.iter().all(|says| says.ends_with("the disk is full; nothing was written")), "{ran:?}");
}

#[test]
fn a_read_only_disk_is_told_and_what_was_there_stays() {
    let script = format!(
        "{BEGINS}; mount -o remount,ro none $D || exit 99
         node grants; echo $?; node ask --no-model x; echo $?; node apps; echo $?; {ENDS}"
    );
    let Some(ran) = on_a_small_disk(&script) else { return };
    assert!(ran.out.ends_with("2\n2\nhello stopped\n0\nuntouched\n"), "{ran:?}");
    let sentences = sentences(&ran);
    assert_eq!(sentences.len(), 2, "{ran:?}");
    assert!(sentences.iter().all(|says| says.ends_with("/lock: it is on a read-only disk")), "{ran:?}");
}

const NOBODY: u32 = 65_534;

/// The program as somebody whom the system's rights hold back. `None` where there is no such person.
fn as_somebody(place: &Path) -> Option<(Command, u32)> {
    if !geteuid().is_root() {
        return Some((Command::new(PROGRAM), geteuid().as_raw()));
    }
    let program = place.join("archy-node");
    fs::hard_link(PROGRAM, &program).or_else(|_| fs::copy(PROGRAM, &program).map(drop)).unwrap();
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program);
    let mut tries = Command::new("setpriv");
    tries.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program).arg("--version");
    if !tries.output().is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: nobody else can be had here (setpriv)");
        return None;
    }
    Some((command, NOBODY))
}

#[test]
fn a_directory_without_rights_is_told_and_stays() {
    let place = tempfile::tempdir().unwrap();
    fs::set_permissions(place.path(), Permissions::from_mode(0o711)).unwrap();
    let Some((mut command, uid)) = as_somebody(place.path()) else { return };
    let data = place.path().join("data");
    fs::create_dir(&data).unwrap();
    fs::write(data.join("archy.db"), "mine").unwrap();
    chown(&data, Some(uid), None).unwrap();
    fs::set_permissions(&data, Permissions::from_mode(0o500)).unwrap();
    command.args(["ask", "--no-model", "x", "--data"]).arg(&data);
    let ran = Ran::of(&command.stdin(Stdio::null()).output().unwrap());
    fs::set_permissions(&data, Permissions::from_mode(0o700)).unwrap();
    let says = format!("archy-node: cannot write {}/lock: you have no right to\n", data.display());
    assert_eq!((ran.code, &*ran.out, ran.err), (2, "", says));
    assert_eq!(fs::read_to_string(data.join("archy.db")).unwrap(), "mine");
    assert_eq!(fs::read_dir(&data).unwrap().count(), 1);
}
