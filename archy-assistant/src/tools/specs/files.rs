//! The shared folder: what is in it, where something is, and what a file says.

use std::sync::Arc;

use super::{all, part};
use crate::{Candidates, Category, Sentence, Slot, Spec};

/// The result is a record `{folder: Others?, entries: List({name: Others, kind: Text, size: Bytes?})}`, `kind` one of
/// `folder`, `file`.
pub(crate) fn files_list(folders: Arc<dyn Candidates>) -> Spec {
    Spec::new("files_list", Category::Files, "The files and folders in one folder, or at the top.")
        .slot(Slot::live("folder", folders).optional())
        .phrases([
            "show me my files",
            "what is in the {folder} folder",
            "list everything in {folder}",
            "list my files",
            "list my folders",
            "what files are in {folder}",
            "what files do i have",
            "contents of {folder}",
            "what is in {folder}",
            "open the {folder} folder",
            "show the {folder} directory",
            "browse {folder}",
            "what is stored in {folder}",
            "which folders are there",
            "how many files are in {folder}",
            "what have i got in {folder}",
            "what do i have in {folder}",
            "what is inside {folder}",
            "show me {folder}",
            "list {folder}",
            "see {folder}",
            "anything in {folder}",
            "what is under {folder}",
            "ls {folder}",
            "ls -la {folder}",
            "dir {folder}",
            "tree {folder}",
        ])
        .answer(|listing| {
            let files = all(
                listing.get("entries"),
                |entry| Sentence::from(entry.get("name")).and(part(" (", entry.get("size"), ")")),
                "nothing",
            );
            let place = part("In ", listing.get("folder"), ": ");
            let place = if place.is_empty() { Sentence::plain("At the top: ") } else { place };
            place.and(files).and(".")
        })
}

/// The result is a record `{entries: List({path: Others, kind: Text, size: Bytes?}), more: Bool}`; `more` says that there are
/// others.
pub(crate) fn files_search() -> Spec {
    Spec::new("files_search", Category::Files, "Finds files and folders whose name holds the given words.")
        .slot(Slot::words("query"))
        .phrases([
            "find files called {query}",
            "find files with {query} in the name",
            "find files with {query} in the title",
            "look through my files for {query}",
            "search my files for {query}",
            "search files {query}",
            "is there a file called {query}",
            "do i have a file named {query}",
            "do i have any files about {query}",
            "which files mention {query}",
            "which file contains {query}",
            "where is the file {query}",
            "find the file {query}",
            "locate the file {query}",
            "find documents about {query}",
            "look for a file called {query}",
            "search the file names for {query}",
            "search the shared folder for {query}",
            "any files matching {query}",
            "where did i save the file {query}",
            "find -name {query}",
            "find -iname {query}",
            "i lost the file {query}",
        ])
        .answer(|result| {
            let found = result.get("entries");
            match found.items().len() {
                0 => return Sentence::plain("I found no such file."),
                1 => Sentence::plain("I found "),
                count => Sentence::plain(format!("I found {count} files: ")),
            }
            .and(all(found, |file| Sentence::from(file.get("path")), ""))
            .and(".")
        })
}

/// The result is a record `{path: Others, text: Others, cut: Bool}`; `cut` says that the file goes on.
pub(crate) fn file_read() -> Spec {
    Spec::new("file_read", Category::Files, "The text of one file, by its path in the shared folder.")
        .slot(Slot::words("path"))
        .phrases([
            "read {path}",
            "open {path}",
            "read the file {path}",
            "open the file {path}",
            "what does {path} say",
            "what is in the file {path}",
            "show me the contents of {path}",
            "show me {path}",
            "print {path}",
            "display {path}",
            "what is written in {path}",
            "text of {path}",
            "what is in {path}",
            "cat {path}",
            "view {path}",
            "read me {path}",
            "let me see {path}",
            "read out {path}",
            "pull up {path}",
            "cat {path}",
            "less {path}",
            "more {path}",
            "head {path}",
            "what does the file {path} say",
            "what does the file called {path} say",
            "read a file",
        ])
        .answer(|file| {
            let rest =
                if *file.get("cut") == crate::Datum::Bool(true) { "\n(The file goes on.)" } else { "" };
            Sentence::from(file.get("path")).and(" says:\n").and(file.get("text")).and(rest)
        })
}
