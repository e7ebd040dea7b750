//! The machine: its disks, memory, processors and sensors.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use archy_assistant::host::{Disk, Memory, System, SystemStatus};
use archy_assistant::{Answer, Caller, Source, Untrusted};
use sysinfo::{Components, CpuRefreshKind, Disks, MemoryRefreshKind};

use super::blocking;

/// Between two looks at the processors, for the second one to say how busy they were.
const LOOK: Duration = sysinfo::MINIMUM_CPU_UPDATE_INTERVAL;

/// This machine.
pub(crate) struct Machine {
    data: PathBuf,
    seen: Arc<Mutex<sysinfo::System>>,
}

impl Machine {
    /// The machine, whose first disk is the one with `data` on it.
    pub(crate) fn new(data: &Path) -> Self {
        Self { data: data.to_owned(), seen: Arc::new(Mutex::new(sysinfo::System::new())) }
    }
}

impl System for Machine {
    fn status<'a>(&'a self, _: &'a Caller) -> Answer<'a, SystemStatus> {
        let seen = Arc::clone(&self.seen);
        Box::pin(blocking(move || {
            let mut system = seen.lock().unwrap_or_else(PoisonError::into_inner);
            system.refresh_cpu_specifics(CpuRefreshKind::nothing().with_cpu_usage());
            std::thread::sleep(LOOK);
            system.refresh_cpu_specifics(CpuRefreshKind::nothing().with_cpu_usage());
            system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
            let (total, available) = (system.total_memory(), system.available_memory());
            Ok(SystemStatus {
                up_seconds: Some(sysinfo::System::uptime()).filter(|seconds| *seconds > 0),
                cpu_percent: whole(system.global_cpu_usage())
                    .map(|percent| u8::try_from(percent.clamp(0, 100)).unwrap_or(100)),
                celsius: hottest(),
                memory: (total > 0).then(|| Memory { used: total.saturating_sub(available), total }),
            })
        }))
    }

    fn disks<'a>(&'a self, _: &'a Caller) -> Answer<'a, Vec<Disk>> {
        let data = self.data.clone();
        Box::pin(blocking(move || {
            let all = Disks::new_with_refreshed_list();
            let mounts = all.iter().map(|disk| Mount {
                device: disk.name().to_string_lossy().into_owned(),
                system: disk.file_system().to_string_lossy().into_owned(),
                at: disk.mount_point().to_owned(),
                total: disk.total_space(),
                free: disk.available_space(),
            });
            Ok(disks(mounts.collect(), &data))
        }))
    }
}

/// A place where something is mounted.
#[derive(Debug, Clone, PartialEq)]
struct Mount {
    device: String,
    system: String,
    at: PathBuf,
    total: u64,
    free: u64,
}

/// The disks among what is mounted, each once, the one with `data` first. What holds nothing that is kept (in memory,
/// the system's own, read-only images) is none, unless the data lie there.
fn disks(mounts: Vec<Mount>, data: &Path) -> Vec<Disk> {
    const NONE: [&str; 8] =
        ["tmpfs", "devtmpfs", "ramfs", "overlay", "squashfs", "iso9660", "efivarfs", "erofs"];
    let with_data = mounts
        .iter()
        .filter(|mount| data.starts_with(&mount.at))
        .max_by_key(|mount| mount.at.components().count())
        .cloned();
    let kept =
        |mount: &Mount| mount.total > 0 && !NONE.contains(&&*mount.system) && !mount.at.starts_with("/boot");
    let mut found: Vec<Mount> = Vec::new();
    let mut others: Vec<Mount> = mounts.into_iter().filter(kept).collect();
    // Of several places of one disk the shortest path is what people call it.
    others.sort_by_key(|mount| mount.at.as_os_str().len());
    for mount in with_data.into_iter().chain(others) {
        // In a container the same disk is seen again under other names, with the same figures.
        let same = |known: &Mount| {
            known.device == mount.device || (known.total == mount.total && known.free == mount.free)
        };
        if mount.total > 0 && !found.iter().any(same) {
            found.push(mount);
        }
    }
    found
        .into_iter()
        .map(|mount| Disk {
            name: Untrusted::new(mount.at.to_string_lossy(), Source::DeviceName),
            total: mount.total,
            free: mount.free,
        })
        .collect()
}

fn hottest() -> Option<i16> {
    let components = Components::new_with_refreshed_list();
    let hottest = components.iter().filter_map(sysinfo::Component::temperature).reduce(f32::max)?;
    i16::try_from(whole(hottest)?).ok()
}

/// Rounded, where it is a number.
fn whole(value: f32) -> Option<i32> {
    #[expect(clippy::cast_possible_truncation, reason = "it saturates, and no sensor reads that much")]
    value.is_finite().then(|| value.round() as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mount(device: &str, system: &str, at: &str, total: u64, free: u64) -> Mount {
        Mount { device: device.to_owned(), system: system.to_owned(), at: at.into(), total, free }
    }

    fn named(at: &str, total: u64, free: u64) -> Disk {
        Disk { name: Untrusted::new(at, Source::DeviceName), total, free }
    }

    #[test]
    fn each_disk_once_and_the_data_first() {
        let mounts = vec![
            mount("/dev/nvme0n1p1", "vfat", "/boot/efi", 500, 400),
            mount("/dev/nvme0n1p2", "ext4", "/", 1000, 100),
            mount("tmpfs", "tmpfs", "/tmp", 800, 800),
            mount("/dev/sda1", "btrfs", "/mnt/data/music", 5000, 3000),
            mount("/dev/sda1", "btrfs", "/mnt/data", 5000, 3000),
        ];
        let found = disks(mounts.clone(), Path::new("/mnt/data/archy"));
        assert_eq!(found, [named("/mnt/data", 5000, 3000), named("/", 1000, 100)]);
        let found = disks(mounts, Path::new("/srv/archy"));
        assert_eq!(found, [named("/", 1000, 100), named("/mnt/data", 5000, 3000)]);
    }

    #[test]
    fn a_container_has_the_disk_that_it_sees() {
        let mounts = vec![
            mount("overlay", "overlay", "/", 250, 76),
            mount("/dev/vda", "ext4", "/etc/hosts", 250, 76),
            mount("shm", "tmpfs", "/dev/shm", 64, 64),
        ];
        assert_eq!(disks(mounts, Path::new("/root/archy")), [named("/", 250, 76)]);
    }
}
