//! What kind of file system a folder lies on: on a network share the locks of `SQLite` and its shared memory do not hold,
//! and a change that another machine makes is told to nobody.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// File systems that other machines serve.
const NETWORK: &[&str] = &[
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "9p",
    "afs",
    "ceph",
    "glusterfs",
    "lustre",
    "davfs",
    "fuse.sshfs",
    "fuse.rclone",
    "fuse.davfs2",
    "fuse.glusterfs",
    "fuse.s3fs",
    "ncpfs",
    "ocfs2",
];

/// The kind of network share that `directory` lies on; `None` if it lies on none, or if that cannot be known.
pub(crate) fn network(directory: &Path) -> Option<String> {
    kind(directory).filter(|kind| NETWORK.contains(&&**kind))
}

/// The kind of file system of `directory` if it does not tell everything that changes in it: what another machine, or a
/// program, changes behind it.
pub(crate) fn without_events(directory: &Path) -> Option<String> {
    kind(directory).filter(|kind| is_without_events(kind))
}

fn is_without_events(kind: &str) -> bool {
    NETWORK.contains(&kind)
        || kind.starts_with("fuse.")
        || matches!(kind, "fuse" | "virtiofs" | "vboxsf" | "prl_fs")
}

fn kind(directory: &Path) -> Option<String> {
    let directory = fs::canonicalize(directory).ok()?;
    kind_of(&fs::read("/proc/self/mountinfo").ok()?, directory.as_os_str().as_bytes())
}

/// The kind of file system that holds this path: of the longest mount point that is above it, the last one if several are.
fn kind_of(table: &[u8], path: &[u8]) -> Option<String> {
    let mut best: Option<(usize, String)> = None;
    for line in table.split(|byte| *byte == b'\n') {
        let fields: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
        let (Some(point), Some(dash)) = (fields.get(4), fields.iter().position(|field| *field == b"-"))
        else {
            continue;
        };
        let Some(kind) = fields.get(dash + 1) else { continue };
        let point = unescape(point);
        let above = point == b"/"
            || path == point
            || path.strip_prefix(&*point).is_some_and(|rest| rest.starts_with(b"/"));
        if above && best.as_ref().is_none_or(|(length, _)| point.len() >= *length) {
            best = Some((point.len(), String::from_utf8_lossy(kind).into_owned()));
        }
    }
    best.map(|(_, kind)| kind)
}

/// `\040` is a space.
fn unescape(field: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(field.len());
    let mut rest = field;
    while let [first, after @ ..] = rest {
        if let (b'\\', [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', behind @ ..]) = (first, after) {
            out.push((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'));
            rest = behind;
        } else {
            out.push(*first);
            rest = after;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_tells_and_a_share_does_not() {
        let told = ["ext4", "btrfs", "zfs", "xfs", "overlay", "tmpfs", "fuseblk", "exfat"];
        assert_eq!(told.map(is_without_events), [false; 8]);
        assert_eq!(
            ["nfs4", "cifs", "9p", "fuse.rclone", "fuse.mergerfs", "fuse"].map(is_without_events),
            [true; 6]
        );
    }

    #[test]
    fn the_innermost_mount_says() {
        let table = b"1 0 8:1 / / rw - ext4 /dev/sda rw\n\
            2 1 0:40 / /mnt/my\\040nas rw shared:7 - cifs //nas/x rw\n\
            3 2 8:2 / /mnt/my\\040nas/disk rw - xfs /dev/sdb rw\n";
        for (path, kind) in [
            ("/home", "ext4"),
            ("/mnt/my nas/music", "cifs"),
            ("/mnt/my nas", "cifs"),
            ("/mnt/my nasty", "ext4"),
            ("/mnt/my nas/disk/x", "xfs"),
        ] {
            assert_eq!(kind_of(table, path.as_bytes()).as_deref(), Some(kind), "{path}");
        }
    }
}
