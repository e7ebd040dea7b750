//! Weaknesses that the attack suite must find: a gate that nobody can fail is not measured.
//!
//! They exist only in a build with `--cfg archy_weak`, which `.ci/run` makes for that suite alone. Without it every
//! `weak!(…)` is the constant `false`, or nothing.

/// `weak!(Name)`, `weak!(Name | Other)`: whether this weakness is set. `weak!(Name, what)`: does that then.
#[cfg(archy_weak)]
macro_rules! weak {
    ($($name:ident)|+) => {
        [$($crate::weak::Weakness::$name),+].into_iter().any($crate::weak::is)
    };
    ($name:ident, $what:expr) => {
        if $crate::weak::is($crate::weak::Weakness::$name) {
            $what
        }
    };
}

/// Nothing is weak in a build that is used.
#[cfg(not(archy_weak))]
macro_rules! weak {
    ($($name:ident)|+) => {
        false
    };
    ($name:ident, $what:expr) => {};
}

#[cfg(archy_weak)]
mod seeded;

#[cfg(archy_weak)]
pub use seeded::{MARK, Weakness, weaken};
#[cfg(archy_weak)]
pub(crate) use seeded::{is, is_remembered, remember};
