//! The time zones that people can name: one per place of IANA's `zone.tab`, and UTC.

/// All names, UTC first.
pub fn all() -> Vec<String> {
    include_str!("time_zones.txt").lines().map(str::to_owned).collect()
}
