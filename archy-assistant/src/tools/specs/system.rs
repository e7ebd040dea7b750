//! The machine, its disks, and the assistant itself.

use super::{all, part};
use crate::{Category, Sentence, Spec};

/// The result is a record `{cpu: Percent?, memory_used: Bytes?, memory_total: Bytes?, load: Text?, temperature: Int?,
/// uptime: Seconds?}`: `temperature` in degrees Celsius.
pub(crate) fn system_status() -> Spec {
    Spec::new("system_status", Category::System, "The machine: processor, memory, temperature and uptime.")
        .phrases([
            "how is the node",
            "how is the box holding up",
            "cpu usage",
            "what is the temperature of the machine",
            "how hot is the cpu",
            "is the node overheating",
            "how warm is it",
            "how long has the node been up",
            "uptime",
            "how much memory is in use",
            "how much ram is free",
            "memory usage",
            "system load",
            "how long has it been up",
            "how many days has it been up",
            "are we short on memory",
            "load average",
            "is the machine busy",
            "how is the system",
            "is the server under load",
            "when was the last reboot",
            "since when is the machine running",
            "processor load",
            "is the node ok",
            "is the node healthy",
            "is the node running out of memory",
            "machine stats",
            "health of the node",
            "status of the node",
            "status of the machine",
            "is the node slow",
            "how hard is the cpu working",
            "system status",
            "node performance",
            "resource usage",
            "is everything ok with the node",
            "how is the server",
            "how is the hardware",
            "how is the machine",
            "without a reboot",
            "temps",
            "degrees celsius",
            "swap usage",
            "what is eating my memory",
            "what is using the cpu",
            "what is hogging the memory",
            "cpu percentage",
            "how many days since the last reboot",
            "is the cpu maxed out",
            "how many days has it been up",
            "top",
            "htop",
            "free -m",
            "free -h",
            "vmstat",
            "sensors",
            "uname -a",
        ])
        .answer(|system| {
            let told = Sentence::join(
                [
                    part("the processor is at ", system.get("cpu"), ""),
                    part("memory in use ", system.get("memory_used"), "").and(part(
                        " of ",
                        system.get("memory_total"),
                        "",
                    )),
                    part("load ", system.get("load"), ""),
                    part("temperature ", system.get("temperature"), " °C"),
                    part("up for ", system.get("uptime"), ""),
                ]
                .into_iter()
                .filter(|said| !said.is_empty()),
                ", ",
            );
            Sentence::plain("The node: ").and(told).and(".")
        })
}

/// The result is a list of records `{name: Others, free: Bytes, total: Bytes, used: Percent?}`.
pub(crate) fn disk_status() -> Spec {
    Spec::new("disk_status", Category::System, "How much space the node's disks have and how full they are.")
        .phrases([
            "how much space is left",
            "how full is the disk",
            "am i running out of storage",
            "how many gigs are free on the drive",
            "disk usage",
            "what percentage of the disk is used",
            "what takes up the space",
            "how much of the disk is taken",
            "free space",
            "storage left",
            "disk space",
            "does the disk have room left",
            "is the disk full",
            "how much room is on the ssd",
            "how big is the disk",
            "how many terabytes are used",
            "storage status",
            "disk capacity",
            "size of the hard drive",
            "how much space is used",
            "is there enough space",
            "disk health",
            "how is the disk",
            "how many gigabytes are available",
            "is storage getting tight",
            "is the drive nearly full",
            "how many gb are left",
            "will it fit on the disk",
            "which disks are there",
            "low on space",
            "remaining storage",
            "will the disk run out soon",
            "is there room for more films movies photos",
            "do we need a bigger disk",
            "hdd nvme partition volume",
            "storage capacity",
            "remaining capacity of the storage",
            "how much is free storage wise",
            "can i fit a download on here",
            "df -h",
            "df",
            "du -sh",
            "lsblk",
        ])
        .answer(|disks| {
            all(
                disks,
                |disk| {
                    Sentence::from(disk.get("free"))
                        .and(part(" of ", disk.get("total"), ""))
                        .and(" are free on ")
                        .and(disk.get("name"))
                },
                "No disk is known",
            )
            .and(".")
        })
}

/// The result is a record `{backend: Text, place: Text, open: List(Text)?}`: which backend answers, where it runs
/// (`on this node`, `in your own network`, `outside`), and the open categories.
pub(crate) fn assistant_status() -> Spec {
    Spec::new("assistant_status", Category::AiLocal, "Which model answers here and where it runs.")
        .phrases([
            "which model are you",
            "what model do you use",
            "are your answers coming from a local model or from the cloud",
            "is the ai local",
            "where does the model run",
            "which llm is answering",
            "are you local",
            "are you running locally",
            "are you running on this node",
            "which model is behind this",
            "are you chatgpt",
            "are you claude",
            "are you ollama",
            "are you an ai",
            "what ai is this",
            "which backend answers",
            "assistant status",
            "which language model is active",
            "do my questions leave the node",
            "does my data go to the cloud",
            "does anything leave the house",
            "what powers you",
            "what are you running on",
            "do you run on my own hardware",
            "are you in the cloud",
            "who answers me",
            "is my chat sent to openai",
            "which model am i talking to",
            "what can you see",
            "do my messages go to some remote model",
            "do you run here",
            "ollama list",
            "ollama ps",
        ])
        .answer(|assistant| {
            Sentence::plain("I answer with ")
                .and(assistant.get("backend"))
                .and(part(", ", assistant.get("place"), ""))
                .and(part(". Open to me: ", assistant.get("open"), ""))
                .and(".")
        })
}
