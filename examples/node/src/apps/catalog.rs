//! All manifests, read together: one that is broken is listed as such and takes no other down.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;

use super::AppsError;
use super::manifest::{Manifest, is_id};

/// Bytes of a manifest; more is a mistake.
const MANIFEST_CAP: u64 = 64 * 1024;

/// By id (for a broken file: its name), the manifest or what is wrong with it.
pub(super) struct Catalog(pub(super) BTreeMap<String, Result<Manifest, String>>);

impl Catalog {
    /// Reads every `*.toml` of a folder.
    pub(super) fn read(folder: &Path) -> Result<Self, AppsError> {
        let mut found = BTreeMap::new();
        for entry in fs::read_dir(folder).map_err(AppsError::storage("read", folder))? {
            let path = entry.map_err(AppsError::storage("read", folder))?.path();
            if path.extension().is_some_and(|extension| extension == "toml")
                && let Some(stem) = path.file_stem()
            {
                let id = stem.to_string_lossy().into_owned();
                let manifest =
                    read(&id, &path).map_err(|wrong| format!("manifest {}: {wrong}", path.display()));
                found.insert(id, manifest);
            }
        }
        Ok(Self(found).with_checked_dependencies())
    }

    fn with_checked_dependencies(mut self) -> Self {
        let wrong: Vec<_> =
            self.0.keys().filter_map(|id| Some((id.clone(), self.wrong_dependency(id)?))).collect();
        for (id, reason) in wrong {
            self.0.insert(id, Err(reason));
        }
        self
    }

    fn wrong_dependency(&self, id: &str) -> Option<String> {
        let unknown = self.depends_on(id).iter().find(|other| !self.0.contains_key(*other));
        if let Some(unknown) = unknown {
            return Some(format!("it depends on {unknown}, which is not there"));
        }
        let circle = self.needs(id).contains(&id);
        circle.then(|| format!("it depends on itself, through {}", self.depends_on(id).join(", ")))
    }

    fn depends_on(&self, id: &str) -> &[String] {
        self.0.get(id).and_then(|entry| entry.as_ref().ok()).map_or(&[], |manifest| &manifest.depends_on)
    }

    /// What has to run for `id`, near and far, a dependency after its dependents; `id` itself only in a circle.
    fn needs<'a>(&'a self, id: &str) -> Vec<&'a str> {
        let mut needs: Vec<&str> = self.depends_on(id).iter().map(String::as_str).collect();
        let mut looked_at = 0;
        while let Some(next) = needs.get(looked_at) {
            looked_at += 1;
            let further: Vec<_> =
                self.depends_on(next).iter().map(String::as_str).filter(|id| !needs.contains(id)).collect();
            needs.extend(further);
        }
        needs
    }

    /// Ids of the apps that need `id`, directly or through others.
    pub(super) fn dependents(&self, id: &str) -> Vec<String> {
        self.0.keys().filter(|other| self.needs(other).contains(&id)).cloned().collect()
    }

    pub(super) fn get(&self, id: &str) -> Result<&Manifest, AppsError> {
        match self.0.get(id) {
            Some(Ok(manifest)) => Ok(manifest),
            Some(Err(reason)) => Err(AppsError::Broken { id: id.to_owned(), reason: reason.clone() }),
            None => Err(AppsError::Unknown { id: id.to_owned() }),
        }
    }

    /// What to start for `id`, in order, `id` last.
    pub(super) fn start_order(&self, id: &str) -> Result<Vec<&Manifest>, AppsError> {
        let mut order: Vec<&Manifest> = Vec::new();
        let mut waiting = vec![self.get(id)?];
        while let Some(next) = waiting.last().copied() {
            let missing = next.depends_on.iter().find(|id| !order.iter().any(|ready| ready.id == **id));
            match missing {
                Some(id) => waiting.push(self.get(id)?),
                None => order.extend(waiting.pop()),
            }
        }
        Ok(order)
    }
}

fn read(id: &str, path: &Path) -> Result<Manifest, String> {
    if !is_id(id) {
        return Err("its file name is no id (a-z, 0-9 and -, at most 63, make one)".to_owned());
    }
    let cannot = |error| format!("it cannot be read: {error}");
    // Asked before opening: opening a pipe would wait.
    let metadata = fs::metadata(path).map_err(cannot)?;
    if !metadata.is_file() || metadata.len() > MANIFEST_CAP {
        return Err(format!("it is no file of at most {MANIFEST_CAP} bytes"));
    }
    let mut text = String::new();
    fs::File::open(path)
        .and_then(|file| file.take(MANIFEST_CAP).read_to_string(&mut text))
        .map_err(cannot)?;
    Manifest::parse(id, &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalog(apps: &[(&str, &[&str])]) -> Catalog {
        let folder = tempfile::tempdir().unwrap();
        for (id, depends_on) in apps {
            let text = format!("id = {id:?}\nname = \"N\"\ncommand = [\"x\"]\ndepends_on = {depends_on:?}\n");
            fs::write(folder.path().join(format!("{id}.toml")), text).unwrap();
        }
        Catalog::read(folder.path()).unwrap()
    }

    #[test]
    fn dependencies_come_first_and_once() {
        let catalog = catalog(&[("web", &["db", "disk"]), ("db", &["disk"]), ("disk", &[]), ("other", &[])]);
        let order =
            |id| catalog.start_order(id).unwrap().iter().map(|app| app.id.clone()).collect::<Vec<_>>();
        assert_eq!(order("web"), ["disk", "db", "web"]);
        assert_eq!(order("other"), ["other"]);
        assert_eq!(catalog.dependents("disk"), ["db", "web"]);
        assert_eq!(catalog.dependents("web"), Vec::<String>::new());
    }

    #[test]
    fn circles_and_strangers_are_broken_and_others_are_not() {
        let catalog = catalog(&[("a", &["b"]), ("b", &["a"]), ("c", &["gone"]), ("d", &["a"]), ("e", &[])]);
        let wrong: Vec<_> =
            catalog.0.iter().map(|(id, app)| (id.as_str(), app.as_ref().err().map(String::as_str))).collect();
        let expected = [
            ("a", Some("it depends on itself, through b")),
            ("b", Some("it depends on itself, through a")),
            ("c", Some("it depends on gone, which is not there")),
            ("d", None),
            ("e", None),
        ];
        assert_eq!(wrong, expected);
        assert!(matches!(catalog.start_order("d"), Err(AppsError::Broken { id, .. }) if id == "a"));
    }

    #[test]
    fn what_is_no_manifest_is_listed_with_its_reason() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("dir.toml")).unwrap();
        fs::write(folder.path().join("Big Name.toml"), "").unwrap();
        fs::write(folder.path().join("bytes.toml"), b"\xff").unwrap();
        fs::write(folder.path().join("notes.txt"), "no manifest").unwrap();
        let catalog = Catalog::read(folder.path()).unwrap();
        let ids: Vec<_> = catalog.0.iter().map(|(id, app)| (id.as_str(), app.is_err())).collect();
        assert_eq!(ids, [("Big Name", true), ("bytes", true), ("dir", true)]);
    }
}
