//! Search in the notes, and in everything that is open at once.

use super::{all, part};
use crate::{Category, Sentence, Slot, Spec};

/// The result is a list of records `{title: Others, text: Others?}`.
pub(crate) fn notes_search() -> Spec {
    Spec::new("notes_search", Category::Notes, "Finds the owner's notes that hold the given words.")
        .slot(Slot::words("query"))
        .phrases([
            "search my notes for {query}",
            "find notes about {query}",
            "anything in my notes about {query}",
            "do i have a note about {query}",
            "what did i write about {query}",
            "what do my notes say about {query}",
            "look in my notes for {query}",
            "which note mentions {query}",
            "find the note with {query}",
            "did i write anything about {query} in my notes",
            "did i note down {query}",
            "show me my notes on {query}",
            "look up {query} in my notes",
            "what have i noted about {query}",
            "what have i written down about {query}",
            "did i write down {query}",
            "did i jot down {query}",
            "check my notes for {query}",
            "go through my notes for {query}",
            "what was that note about {query}",
            "read my note about {query}",
            "open my note on {query}",
        ])
        .answer(|notes| match notes.items().len() {
            0 => Sentence::plain("I found no such note."),
            count => Sentence::plain(if count == 1 {
                "I found a note: ".to_owned()
            } else {
                format!("I found {count} notes: ")
            })
            .and(all(notes, |note| Sentence::from(note.get("title")), ""))
            .and("."),
        })
}

/// The result is a record `{found: List({source: Text, id: Text?, title: Others}), failed: List(Text)?,
/// closed: List(Text)?}`: `source` one of `app`, `file`, `note`, `setting`, `peer`; `failed` and `closed` are the sources
/// that could not or may not be searched.
pub(crate) fn node_search() -> Spec {
    Spec::new("node_search", Category::Search, "Searches everything on this node at once; never the web.")
        .slot(Slot::words("query"))
        .phrases([
            "search everything on this node for {query}",
            "look all over the node for {query}",
            "search the whole node for {query}",
            "search for {query}",
            "find {query} anywhere on the node",
            "find anything about {query}",
            "search everywhere for {query}",
            "look everywhere for {query}",
            "find {query}",
            "is there anything on this node about {query}",
            "anything on the box about {query}",
            "where on the node is {query}",
            "search the server for {query}",
            "search the machine for {query}",
            "where can i find {query}",
            "what do you have on {query}",
            "look for {query}",
            "search across everything for {query}",
            "search all my stuff for {query}",
            "search all places for {query}",
            "search my data for {query}",
            "node wide search for {query}",
            "run a search over the complete node for {query}",
            "search the entire node for {query}",
            "grep -r {query}",
            "grep -ri {query}",
            "grep {query}",
        ])
        .answer(|result| {
            let found = result.get("found");
            let said = match found.items().len() {
                0 => Sentence::plain("I found nothing on this node."),
                count => Sentence::plain(format!("I found {count}: "))
                    .and(all(
                        found,
                        |hit| Sentence::from(hit.get("source")).and(" ").and(hit.get("title")),
                        "",
                    ))
                    .and("."),
            };
            said.and(part(" I could not search: ", result.get("failed"), ".")).and(part(
                " Closed to me: ",
                result.get("closed"),
                ".",
            ))
        })
}
