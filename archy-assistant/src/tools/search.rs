//! Searching the node's own open sources at once.

use std::sync::Arc;

use super::files::QueryArgs;
use super::meant::Query;
use super::settings::spoken_of;
use super::specs;
use crate::host::{Apps, Files, Notes, Peers, Settings};
use crate::{
    Answer, Caller, Categories, Category, Datum, Effect, GrantSource, Label, Need, Read, Source, Spec,
    ToolError, Untrusted, Verdict, decide,
};

/// At most so many hits of one source.
const MOST_HITS: usize = 20;

/// The sources that the node has.
#[derive(Clone, Default)]
pub(super) struct Sources {
    pub(super) apps: Option<Arc<dyn Apps>>,
    pub(super) settings: Option<Arc<dyn Settings>>,
    pub(super) peers: Option<Arc<dyn Peers>>,
    pub(super) files: Option<Arc<dyn Files>>,
    pub(super) notes: Option<Arc<dyn Notes>>,
}

/// One source: what people call it, the tool that asks it directly, and its hits, not yet asked for.
struct Place<'a> {
    name: &'static str,
    tool: &'static str,
    category: Category,
    hits: Answer<'a, Vec<Datum>>,
}

impl Sources {
    /// The categories that a result may rest on.
    pub(super) fn categories(&self) -> Categories {
        let Self { apps, settings, peers, files, notes } = self;
        [
            apps.as_ref().map(|_| Category::Apps),
            settings.as_ref().map(|_| Category::System),
            peers.as_ref().map(|_| Category::Network),
            files.as_ref().map(|_| Category::Files),
            notes.as_ref().map(|_| Category::Notes),
        ]
        .into_iter()
        .flatten()
        .fold(Categories::NONE, Categories::with)
    }

    /// What could be searched. Nothing is asked before a place's hits are awaited.
    fn places<'a>(&'a self, caller: &'a Caller, query: &'a Query, said: &'a str) -> Vec<Place<'a>> {
        let mut places = Vec::new();
        let mut place = |name, tool, category, hits| places.push(Place { name, tool, category, hits });
        if let Some(apps) = &self.apps {
            place("apps", "apps_list", Category::Apps, in_apps(&**apps, caller, query));
        }
        if let Some(settings) = &self.settings {
            place("settings", "settings_list", Category::System, in_settings(&**settings, caller, query));
        }
        if let Some(peers) = &self.peers {
            place("peers", "peers_list", Category::Network, in_peers(&**peers, caller, query));
        }
        if let Some(files) = &self.files {
            place("files", "files_search", Category::Files, in_files(&**files, caller, said));
        }
        if let Some(notes) = &self.notes {
            place("notes", "notes_search", Category::Notes, in_notes(&**notes, caller, said));
        }
        places
    }
}

fn in_apps<'a>(apps: &'a dyn Apps, caller: &'a Caller, query: &'a Query) -> Answer<'a, Vec<Datum>> {
    Box::pin(async move {
        let found = apps.list(caller).await?.into_iter().filter(|app| {
            let names = || std::iter::once(&app.name).chain(&app.aliases);
            query.is_in_own(app.id.as_str()) || names().any(|name| query.is_in(name))
        });
        Ok(found.map(|app| hit("app", Some(app.id.as_str()), app.name)).collect())
    })
}

fn in_settings<'a>(
    settings: &'a dyn Settings,
    caller: &'a Caller,
    query: &'a Query,
) -> Answer<'a, Vec<Datum>> {
    Box::pin(async move {
        let found = spoken_of(settings, caller).await?.into_iter().filter(|setting| {
            query.is_in_own(setting.key.as_str()) || setting.names.iter().any(|name| query.is_in_own(name))
        });
        let key = |key: &str| hit("setting", Some(key), Untrusted::new(key, Source::Setting));
        Ok(found.map(|setting| key(setting.key.as_str())).collect())
    })
}

fn in_peers<'a>(peers: &'a dyn Peers, caller: &'a Caller, query: &'a Query) -> Answer<'a, Vec<Datum>> {
    Box::pin(async move {
        let peers = peers.list(caller).await?.into_iter();
        let found = peers.filter(|peer| query.is_in_own(peer.id.as_str()) || query.is_in(&peer.name));
        Ok(found.map(|peer| hit("peer", Some(peer.id.as_str()), peer.name)).collect())
    })
}

fn in_files<'a>(files: &'a dyn Files, caller: &'a Caller, said: &'a str) -> Answer<'a, Vec<Datum>> {
    Box::pin(async move {
        let found = files.search(caller, said, MOST_HITS).await?.entries.into_iter();
        Ok(found.map(|entry| hit("file", None, entry.path)).collect())
    })
}

fn in_notes<'a>(notes: &'a dyn Notes, caller: &'a Caller, said: &'a str) -> Answer<'a, Vec<Datum>> {
    Box::pin(async move {
        let found = notes.search(caller, said, MOST_HITS).await?.into_iter();
        Ok(found.map(|note| hit("note", None, note.title)).collect())
    })
}

fn hit(source: &'static str, id: Option<&str>, title: Untrusted) -> Datum {
    let id = id.map_or(Datum::None, |id| Datum::text(id.to_owned()));
    Datum::record([("source", Datum::text(source)), ("id", id), ("title", Datum::Others(title))])
}

/// Searches every source that this caller could ask directly now.
pub(super) struct NodeSearch {
    pub(super) sources: Sources,
    pub(super) grants: Arc<dyn GrantSource>,
}

impl Read for NodeSearch {
    type Args = QueryArgs;

    fn spec(&self) -> Spec {
        specs::node_search().holds(self.sources.categories())
    }

    async fn read(&self, caller: &Caller, args: QueryArgs) -> Result<Datum, ToolError> {
        let query = Query::new(&args.query)?;
        // What cannot be known to be open is closed.
        let open = self.grants.read().map_or(Categories::NONE, |grants| grants.open);
        let (mut found, mut closed, mut failed) = (Vec::new(), Vec::new(), Vec::new());
        for place in self.sources.places(caller, &query, &args.query) {
            if !may(caller, open, &place) {
                closed.push(Datum::text(place.name));
                continue;
            }
            match place.hits.await {
                Ok(hits) => found.extend(hits.into_iter().take(MOST_HITS)),
                Err(_) => failed.push(Datum::text(place.name)),
            }
        }
        // Only the chrome learns what is closed.
        let closed = if caller.is_chrome() && !closed.is_empty() { Datum::List(closed) } else { Datum::None };
        let failed = if failed.is_empty() { Datum::None } else { Datum::List(failed) };
        Ok(Datum::record([("found", Datum::List(found)), ("failed", failed), ("closed", closed)]))
    }
}

/// Whether the caller could ask this source directly: the same question as when it does.
fn may(caller: &Caller, open: Categories, place: &Place<'_>) -> bool {
    let need = Need { category: place.category, effect: Effect::Read, egress: false };
    decide(caller.scope_for(place.tool, Effect::Read), need, open, Label::default()) == Verdict::Allow
}
