use archy_assistant::host::{Entries, Entry, EntryKind, FileStart, Files, Note, Notes, SharedPath};
use archy_assistant::{Answer, Caller, HostError, Source, Untrusted};

use super::{BEGAN, FakeHome, ready};

const FILES: [(&str, &str); 6] = [
    ("documents/house-rules.md", "# House rules\n\nShoes off. The router stays on.\n"),
    ("documents/invoice-2024.txt", "Invoice 17: 21 000 sats, paid.\n"),
    ("documents/shopping.txt", "milk\nbread\nolives\n"),
    ("music/playlist.m3u", "#EXTM3U\n"),
    ("photos/2024/lisbon.txt", "Taken in Lisbon.\n"),
    ("welcome.txt", "This is the shared folder.\n"),
];

const NOTES: [(&str, &str); 3] = [
    ("Sourdough", "Feed it on Fridays: one part flour, one part water."),
    ("Plumber", "Ask for the one who did the kitchen."),
    ("Lisbon", "The passport is in the blue box."),
];

/// What lies directly in `folder`, from a path below the shared folder.
fn inside<'a>(folder: &str, path: &'a str) -> Option<&'a str> {
    let rest = if folder.is_empty() { path } else { path.strip_prefix(folder)?.strip_prefix('/')? };
    (!rest.is_empty() && !rest.contains('/')).then_some(rest)
}

fn folder(path: &str) -> Entry {
    Entry { path: Untrusted::new(path, Source::FileName), kind: EntryKind::Folder, changed: None }
}

fn file(path: &str, text: &str) -> Entry {
    let kind = EntryKind::File { bytes: text.len() as u64 };
    Entry { path: Untrusted::new(path, Source::FileName), kind, changed: Some(BEGAN) }
}

fn holds(text: &str, query: &str) -> bool {
    let text = text.to_lowercase();
    query.to_lowercase().split_whitespace().all(|word| text.contains(word))
}

fn cut(mut entries: Vec<Entry>, at_most: usize) -> Entries {
    let more = entries.len() > at_most;
    entries.truncate(at_most);
    Entries { entries, more }
}

impl Files for FakeHome {
    fn list<'a>(&'a self, _: &'a Caller, at: &'a SharedPath, at_most: usize) -> Answer<'a, Entries> {
        Box::pin(async move {
            let at = at.as_str();
            if !at.is_empty() && !self.folders.iter().any(|folder| folder == at) {
                return Err(HostError::new("there is no such folder"));
            }
            let folders = self.folders.iter().filter_map(|path| inside(at, path)).map(folder);
            let files = FILES.iter().filter_map(|(path, text)| Some(file(inside(at, path)?, text)));
            Ok(cut(folders.chain(files).collect(), at_most))
        })
    }

    fn search<'a>(&'a self, _: &'a Caller, query: &'a str, at_most: usize) -> Answer<'a, Entries> {
        let folders = self.folders.iter().filter(|path| holds(path, query)).map(|path| folder(path));
        let files = FILES.iter().filter(|(path, _)| holds(path, query)).map(|(path, text)| file(path, text));
        ready(cut(folders.chain(files).collect(), at_most))
    }

    fn read<'a>(&'a self, _: &'a Caller, path: &'a SharedPath, at_most: usize) -> Answer<'a, FileStart> {
        let found = FILES.iter().find(|(known, _)| *known == path.as_str());
        Box::pin(async move {
            let (_, text) = found.ok_or_else(|| HostError::new("there is no such file"))?;
            let bytes = text.as_bytes();
            Ok(FileStart { bytes: bytes[..bytes.len().min(at_most)].to_vec(), size: bytes.len() as u64 })
        })
    }

    fn folders<'a>(&'a self, _: &'a Caller) -> Answer<'a, Vec<SharedPath>> {
        ready(self.folders.iter().filter_map(|path| SharedPath::new(path).ok()).collect())
    }
}

impl Notes for FakeHome {
    fn search<'a>(&'a self, _: &'a Caller, query: &'a str, at_most: usize) -> Answer<'a, Vec<Note>> {
        let found = NOTES.iter().filter(|(title, text)| holds(&format!("{title} {text}"), query));
        let note = |text: &str| Untrusted::new(text, Source::Note);
        let found =
            found.map(|(title, text)| Note { title: note(title), excerpt: note(text), changed: Some(BEGAN) });
        ready(found.take(at_most).collect())
    }
}
