//! What is there before an attack: a store in which the owner has opened something, and the people.

use std::sync::{Arc, LazyLock};

use archy_assistant::{
    Assistant, Batch, Caller, Categories, Category, Door, MemoryStore, Principal, Scope, Secret, Store,
    StoredGrants, Table,
};
use tokio::runtime::{Builder, Runtime};

use crate::case::{Case, Dim};
use crate::disk::copy_of;
use crate::world::{Lowerable, World};

/// The rows of a store in which exactly this is open.
pub(super) fn opened(open: Categories) -> Batch {
    static NONE: LazyLock<Batch> = LazyLock::new(|| opened_by_the_owner(Categories::NONE));
    static ALL: LazyLock<Vec<(Categories, Batch)>> = LazyLock::new(|| {
        let each = Category::ALL.map(Categories::only);
        let but = Category::ALL.map(|category| Categories::ALL.without(category));
        let sets = [Categories::ALL].into_iter().chain(each).chain(but);
        sets.map(|open| (open, opened_by_the_owner(open))).collect()
    });
    ALL.iter().find(|(known, _)| *known == open).map_or_else(|| NONE.clone(), |(_, batch)| batch.clone())
}

/// Everything that the owner's opening (and for nothing, closing) writes.
fn opened_by_the_owner(open: Categories) -> Batch {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let runtime = runtime();
    let assistant = Assistant::builder(
        [],
        archy_assistant::Toolbox::new(),
        Arc::new(StoredGrants::new(Arc::clone(&store))),
    )
    .with_store(Arc::clone(&store))
    .with_audit_key(key())
    .open()
    .expect("a fresh store opens");
    runtime.block_on(async {
        let owner = Caller::owner();
        assistant.open_category(&owner, Category::Apps).await.expect("the owner opens");
        assistant.close_all(&owner).await.expect("the owner closes");
        for category in open.iter() {
            assistant.open_category(&owner, category).await.expect("the owner opens");
        }
    });
    copy_of(&*store)
}

/// Of these rows those that say what is open.
pub(super) fn only_grants(rows: Batch) -> Batch {
    let grants = |op: &archy_assistant::Op| matches!(op, archy_assistant::Op::Put(Table::Meta, key, _) if key == b"grants");
    Batch { ops: rows.ops.into_iter().filter(grants).collect(), ..rows }
}

pub(super) fn key() -> Secret {
    Secret::new(*b"the suite's own key")
}

pub(super) fn runtime() -> Runtime {
    Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime can be made")
}

pub(super) fn named(name: &str) -> Principal {
    Principal::new(name).expect("a plain name")
}

fn set(names: &[Category]) -> Categories {
    names.iter().copied().collect()
}

/// Who talks, and who decides for them.
pub(super) fn people(case: Case, world: &Arc<World>) -> (Caller, Caller) {
    use Category::{Apps, Bitcoin, Media, Notes, Search, Wallet};
    let role = || Lowerable(Arc::clone(world));
    let owner = || Caller::chrome(Principal::owner(), Scope::EVERYTHING, role());
    let relayed = |name, scope, door| Caller::relayed(named(name), scope, door, Principal::owner(), role());
    let both = |categories| Scope { read: categories, propose: categories };
    let voice = [Wallet, Bitcoin, Notes].into_iter().fold(Categories::ALL, Categories::without);
    match case.of(Dim::Caller) {
        0 => (owner(), owner()),
        1 => (relayed("owner", Scope::EVERYTHING, Door::Frame), owner()),
        2 => (relayed("voice:kitchen", both(voice), Door::Voice), owner()),
        3 => {
            let scope = Scope { read: set(&[Search, Media]), propose: set(&[Media]) };
            (relayed("radio:7f3a", scope, Door::Radio), owner())
        }
        4 => (relayed("radio:0000", Scope::NOTHING, Door::Radio), owner()),
        _ => {
            let scope = Scope { read: Categories::ALL, propose: set(&[Apps, Media]) };
            let guest = || Caller::chrome(named("guest"), scope, role());
            (guest(), guest())
        }
    }
}
