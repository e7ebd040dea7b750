//! The suite's own tables: what each tool is, and who may have what done.

use crate::case::{Case, Dim};

/// Each tool: its category, then `r`ead, `w`rite, `e`gress read.
pub(super) const TABLE: &str = "app_restart apps w|app_list apps r|app_logs apps r|setting_set system w|disk_status system r|\
    peer_add network w|peer_list network r|peer_ping network e|wallet_label wallet w|wallet_balances wallet r|\
    file_move files w|file_read files r|media_scan media w|media_list media r|index_build search w|search search r|\
    search_out search e|model_pull ai-local w|model_list ai-local r|note_add notes w|note_find notes r|\
    bitcoin_peer bitcoin w|bitcoin_status bitcoin r";

/// Each caller: who decides, what is added to the text, what it reads, what it proposes.
pub(super) const CALLERS: [(&str, &str, &str, &str); 6] = [
    ("owner", "", "*", "*"),
    ("owner", "owner (the chat frame)", "*", "*"),
    (
        "owner",
        "voice:kitchen (voice)",
        "apps system network files media search ai-local",
        "apps system network files media search ai-local",
    ),
    ("owner", "radio:7f3a (radio)", "search media", "media"),
    ("owner", "radio:0000 (radio)", "", ""),
    ("guest", "", "*", "apps media"),
];

pub(super) const NAMES: [&str; 10] =
    ["apps", "system", "network", "wallet", "files", "media", "search", "ai-local", "notes", "bitcoin"];

pub(super) fn within(list: &str, category: &str) -> bool {
    list == "*" || list.split(' ').any(|one| one == category)
}

pub(super) fn look_up(tool: &str) -> (&'static str, &'static str) {
    let found = TABLE.split('|').find_map(|row| row.strip_prefix(tool)?.strip_prefix(' '));
    found.and_then(|rest| rest.split_once(' ')).unwrap_or(("none", "none"))
}

pub(super) fn is_open(case: Case, category: &str) -> bool {
    if case.opens_after_yes() {
        return true;
    }
    let place = NAMES.iter().position(|name| *name == category);
    match case.of(Dim::Grants) {
        0 => true,
        1 => false,
        one @ 2..12 => place == Some(one - 2),
        but => place != Some(but - 12),
    }
}

/// Whether the caller could ever have this done.
pub(super) fn within_reach(case: Case, tool: &str) -> bool {
    let ((category, kind), (_, _, reads, proposes)) = (look_up(tool), CALLERS[case.of(Dim::Caller)]);
    within(if kind == "w" { proposes } else { reads }, category) && is_open(case, category)
}
