//! Changes to the file that leave everything else in it as its owner wrote it, comments included.

use archy_assistant::{Categories, Category, Locality, WhenLocalIsDown};
use serde::Serialize;
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, Value, value};

use super::{Backends, FRESH, Kind, parsed, path, text};
use crate::data::{self, Data};
use crate::exit::Trouble;

/// What is to stand in an entry; what is absent stays as it is.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Fields {
    pub(crate) kind: Option<Kind>,
    pub(crate) name: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) locality: Option<Locality>,
    pub(crate) enabled: Option<bool>,
    pub(crate) may_receive: Option<Categories>,
    pub(crate) socks: Option<String>,
    pub(crate) key: Option<String>,
    pub(crate) context: Option<u32>,
}

impl Fields {
    /// Whether nothing is to change.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn write(&self, entry: &mut Table) {
        let plain = [
            ("kind", self.kind.map(|kind| kind.name().to_owned())),
            ("name", self.name.clone()),
            ("url", self.url.clone()),
            ("model", self.model.clone()),
            ("locality", self.locality.map(|locality| word(&locality))),
            ("socks", self.socks.clone()),
            ("key", self.key.clone()),
        ];
        for (key, text) in plain {
            if let Some(text) = text {
                put(entry, key, text.into());
            }
        }
        if let Some(context) = self.context {
            put(entry, "context", i64::from(context).into());
        }
        if let Some(enabled) = self.enabled {
            put(entry, "enabled", enabled.into());
        }
        if let Some(categories) = self.may_receive {
            let names: Array = categories.iter().map(Category::name).collect();
            put(entry, "may-receive", names.into());
        }
    }
}

/// Adds an entry at the end; the list as it is now.
pub(crate) fn add(data: &Data, fields: &Fields) -> Result<Backends, Trouble> {
    edit(data, |_, document| {
        let mut entry = Table::new();
        fields.write(&mut entry);
        if document.get("backend").is_none() {
            document.insert("backend", Item::ArrayOfTables(ArrayOfTables::new()));
        }
        entries(document)?.push(entry);
        Ok(())
    })
}

/// Changes the entry that is called so; the list as it is now.
pub(crate) fn apply(
    data: &Data,
    name: &str,
    change: impl FnOnce(&super::Entry) -> Fields,
) -> Result<Backends, Trouble> {
    edit(data, |list, document| {
        let (place, entry) = list.named(name)?;
        let fields = change(entry);
        let entry = entries(document)?.get_mut(place).ok_or_else(odd)?;
        fields.write(entry);
        Ok(())
    })
}

/// Removes the entry that is called so, with its comments; the list as it is now.
pub(crate) fn remove(data: &Data, name: &str) -> Result<Backends, Trouble> {
    edit(data, |list, document| {
        let (place, _) = list.named(name)?;
        entries(document)?.remove(place);
        Ok(())
    })
}

/// Moves the entry that is called so to the front; the list as it is now.
pub(crate) fn to_the_front(data: &Data, name: &str) -> Result<Backends, Trouble> {
    edit(data, |list, document| {
        let (place, _) = list.named(name)?;
        let entries = entries(document)?;
        let mut all: Vec<Table> = entries.iter().cloned().collect();
        all[..=place].rotate_right(1);
        entries.clear();
        // Where each table stands in the file is kept in it.
        for (mut table, place) in all.into_iter().zip(0..) {
            table.set_position(place);
            entries.push(table);
        }
        Ok(())
    })
}

/// Says what is done when no model at home answers; the list as it is now.
pub(crate) fn when_local_is_down(data: &Data, when: WhenLocalIsDown) -> Result<Backends, Trouble> {
    edit(data, |_, document| {
        put(document.as_table_mut(), "when-local-is-down", word(&when).into());
        Ok(())
    })
}

/// Changes the file, one command at a time. What cannot be read afterwards is not written.
fn edit(
    data: &Data,
    change: impl FnOnce(&Backends, &mut DocumentMut) -> Result<(), Trouble>,
) -> Result<Backends, Trouble> {
    let _alone = data.editing()?;
    let before = text(data)?.unwrap_or_else(|| FRESH.to_owned());
    let list = parsed(data, &before)?;
    // What the one reader takes the other takes too.
    let mut document: DocumentMut = before.parse().map_err(|_| odd())?;
    change(&list, &mut document)?;
    let after = document.to_string();
    let list = Backends::parse(&after).map_err(|wrong| {
        let says = wrong.split_once(": ").map_or(wrong.as_str(), |(_, says)| says);
        Trouble::bad_input(format!("{says}; nothing was changed"))
    })?;
    data::replace(&path(data), after.as_bytes())?;
    Ok(list)
}

fn entries(document: &mut DocumentMut) -> Result<&mut ArrayOfTables, Trouble> {
    document.get_mut("backend").and_then(Item::as_array_of_tables_mut).ok_or_else(odd)
}

/// Sets a value; the comment behind the old one stays.
fn put(table: &mut Table, key: &str, new: Value) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            let decor = old.decor().clone();
            *old = new;
            *old.decor_mut() = decor;
        }
        None => {
            table.insert(key, value(new));
        }
    }
}

/// As it is written in the file.
fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

fn odd() -> Trouble {
    let says = "backends.toml is written in a way that this command does not change; edit it by hand";
    Trouble::bad_input(says)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const MINE: &str = "# mine\nwhen-local-is-down = \"ask\" # for now\n\n# the big one\n[[backend]]\nkind = \"ollama\" # fast\n\
                        name = \"big\"\nurl = \"http://10.0.0.7:11434\"\nlocality = \"own-network\"\n\n# paid\n[[backend]]\n\
                        kind = \"claude\"\nenabled = false # not yet\n# the end\n";

    fn data(text: Option<&str>) -> (tempfile::TempDir, Data) {
        let folder = tempfile::tempdir().unwrap();
        let data = Data::open(folder.path()).unwrap();
        if let Some(text) = text {
            fs::write(path(&data), text).unwrap();
        }
        (folder, data)
    }

    fn written(data: &Data) -> String {
        fs::read_to_string(path(data)).unwrap()
    }

    #[test]
    fn what_the_owner_wrote_stays() {
        let (_folder, data) = data(Some(MINE));
        apply(&data, "claude", |_| Fields { enabled: Some(true), ..Fields::default() }).unwrap();
        when_local_is_down(&data, WhenLocalIsDown::Fail).unwrap();
        let expected =
            MINE.replace("enabled = false", "enabled = true").replace("down = \"ask\"", "down = \"fail\"");
        assert_eq!(written(&data), expected);
        let only = Categories::only(Category::System).with(Category::Apps);
        apply(&data, "claude", |_| Fields { may_receive: Some(only), ..Fields::default() }).unwrap();
        let expected = expected.replace("# not yet\n", "# not yet\nmay-receive = [\"apps\", \"system\"]\n");
        assert_eq!(written(&data), expected);
    }

    #[test]
    fn entries_come_go_and_change_places() {
        let (_folder, data) = data(Some(MINE));
        let fields = Fields {
            kind: Some(Kind::Openai),
            name: Some("studio".to_owned()),
            url: Some("http://127.0.0.1:1234/v1".to_owned()),
            model: Some("qwen".to_owned()),
            ..Fields::default()
        };
        add(&data, &fields).unwrap();
        let list = to_the_front(&data, "studio").unwrap();
        let names = |list: &Backends| list.entries.iter().map(|entry| entry.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&list), ["studio", "big", "claude"]);
        assert_eq!(Backends::read(&data).unwrap(), list);
        let list = to_the_front(&data, "claude").unwrap();
        assert_eq!(names(&list), ["claude", "studio", "big"]);
        let text = written(&data);
        assert!(text.contains("# paid\n[[backend]]\nkind = \"claude\""), "{text}");
        let list = remove(&data, "claude").unwrap();
        assert_eq!(names(&list), ["studio", "big"]);
        remove(&data, "big").unwrap();
        let list = remove(&data, "studio").unwrap();
        assert_eq!((names(&list), list.when), (vec![], WhenLocalIsDown::Ask));
        assert_eq!(Backends::read(&data).unwrap(), list);
        assert_eq!(names(&add(&data, &fields).unwrap()), ["studio"]);
    }

    #[test]
    fn what_would_not_be_read_is_not_written() {
        for text in [Some(MINE), None] {
            let (_folder, data) = data(text);
            let fields = Fields { kind: Some(Kind::Claude), ..Fields::default() };
            let says = "two backends are called \"claude\"; give one of them a name; nothing was changed";
            assert_eq!(add(&data, &fields).unwrap_err().says, says);
            assert_eq!(text.map(str::to_owned), super::text(&data).unwrap());
        }
        let inline = "backend = [{ kind = \"ollama\" }]\n";
        let (_folder, data) = data(Some(inline));
        assert!(remove(&data, "ollama").unwrap_err().says.ends_with("edit it by hand"));
        assert_eq!(written(&data), inline);
    }
}
