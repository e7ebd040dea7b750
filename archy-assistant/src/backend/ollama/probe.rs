//! What a server says of itself and of its models: `/api/version`, `/api/show`, `/api/tags`.

use serde_json::Value;

/// Whether a model can do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ability {
    /// The server says so.
    Yes,
    /// The server lists what it can do, and this is not there.
    No,
    /// The server is too old to say.
    Unknown,
}

/// What is known of a model on its server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// The server's version; empty where it does not say.
    pub version: String,
    /// Whether the model's template knows tools, which does not say how well the model uses them.
    pub tools: Ability,
    /// Whether it thinks before it answers.
    pub thinking: Ability,
    /// The longest context that it was trained for, in tokens.
    pub context: Option<u32>,
    /// The server hands its requests on to a cloud.
    pub cloud: bool,
}

/// A model that a server has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// Its name, as [`Ollama::new`](super::Ollama::new) takes it. Whoever made the model chose it.
    pub name: String,
    /// Its size on disk, in bytes; next to nothing for one that runs in a cloud.
    pub size: u64,
    /// How many parameters it has, as the server says it: `8.2B`.
    pub parameters: String,
    /// The server hands its requests on to a cloud.
    pub cloud: bool,
}

/// The answer of `/api/show`, of the model that was asked for as `name`.
pub(crate) fn shown(name: &str, version: String, show: &Value) -> Probe {
    let context = show["model_info"].as_object().and_then(|info| {
        let length = info.iter().find(|(key, _)| key.ends_with(".context_length"));
        length.and_then(|(_, length)| length.as_u64())
    });
    Probe {
        version,
        tools: ability(show, "tools"),
        thinking: ability(show, "thinking"),
        context: context.and_then(|length| u32::try_from(length).ok()).filter(|length| *length > 0),
        cloud: is_cloud(name, show),
    }
}

/// The models in the answer of `/api/tags`, each with whether it can call tools.
pub(crate) fn listed(tags: &Value) -> Vec<(Installed, Ability)> {
    let models = tags["models"].as_array().map(Vec::as_slice).unwrap_or_default();
    let one = |model: &Value| {
        let name = model["name"].as_str().or_else(|| model["model"].as_str())?.to_owned();
        // Names are visible ASCII; anything else is not one that a server of this kind gives, and would reach a screen.
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_graphic()) {
            return None;
        }
        let installed = Installed {
            size: model["size"].as_u64().unwrap_or(0),
            parameters: model["details"]["parameter_size"].as_str().unwrap_or_default().to_owned(),
            cloud: is_cloud(&name, model),
            name,
        };
        Some((installed, ability(model, "tools")))
    };
    models.iter().filter_map(one).collect()
}

/// Those that run here before those that do not, then the larger first, then by name.
pub(crate) fn sort<T>(models: &mut [(Installed, T)]) {
    models.sort_by(|(a, _), (b, _)| (a.cloud, b.size, &a.name).cmp(&(b.cloud, a.size, &b.name)));
}

/// Whether the name alone says that the model runs in a cloud.
pub(crate) fn is_cloud_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.ends_with("-cloud") || name.ends_with(":cloud")
}

fn is_cloud(name: &str, model: &Value) -> bool {
    let says = |key: &str| model[key].as_str().is_some_and(|text| !text.is_empty());
    is_cloud_name(name) || says("remote_host") || says("remote_model")
}

fn ability(model: &Value, wanted: &str) -> Ability {
    match model["capabilities"].as_array() {
        None => Ability::Unknown,
        Some(all) if all.iter().any(|one| one == wanted) => Ability::Yes,
        Some(_) => Ability::No,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_server_is_read_for_what_it_says() {
        let show = json!({
            "capabilities": ["completion", "tools", "thinking"],
            "model_info": { "general.architecture": "qwen3", "qwen3.context_length": 40960 },
        });
        let probe = Probe {
            version: "0.12.10".to_owned(),
            tools: Ability::Yes,
            thinking: Ability::Yes,
            context: Some(40_960),
            cloud: false,
        };
        assert_eq!(shown("qwen3:8b", "0.12.10".to_owned(), &show), probe);

        let nothing = Probe {
            version: String::new(),
            tools: Ability::Unknown,
            thinking: Ability::Unknown,
            context: None,
            cloud: false,
        };
        assert_eq!(shown("m", String::new(), &Value::Null), nothing);
        let plain = json!({ "capabilities": ["completion"], "model_info": { "x.context_length": 0 } });
        let plain_probe = Probe { tools: Ability::No, thinking: Ability::No, ..nothing.clone() };
        assert_eq!(shown("m", String::new(), &plain), plain_probe);
    }

    #[test]
    fn a_cloud_is_known_by_any_sign() {
        for (name, show, cloud) in [
            ("gpt-oss:120b-cloud", json!({}), true),
            ("glm-4.6:CLOUD", json!({}), true),
            ("mine", json!({ "remote_host": "https://ollama.com:443" }), true),
            ("mine", json!({ "remote_model": "gpt-oss:120b" }), true),
            ("mine", json!({ "remote_model": "", "remote_host": null }), false),
            ("cloud-watcher:7b", json!({}), false),
        ] {
            assert_eq!(shown(name, String::new(), &show).cloud, cloud, "{name} {show}");
        }
    }

    #[test]
    fn models_are_listed_local_and_large_first() {
        let tags = json!({ "models": [
            { "name": "b", "size": 5, "capabilities": ["tools"], "details": { "parameter_size": "8.2B" } },
            { "model": "a", "size": 5 },
            { "name": "big-cloud", "size": 384, "capabilities": ["completion"] },
            { "name": "large", "size": 9, "capabilities": ["tools"], "remote_host": "" },
            { "size": 1 },
            { "name": "m\u{1b}[31m", "size": 1, "capabilities": ["tools"] },
        ]});
        let mut models = listed(&tags);
        sort(&mut models);
        let one = |name: &str, size, parameters: &str, cloud| Installed {
            name: name.to_owned(),
            size,
            parameters: parameters.to_owned(),
            cloud,
        };
        let want = [
            (one("large", 9, "", false), Ability::Yes),
            (one("a", 5, "", false), Ability::Unknown),
            (one("b", 5, "8.2B", false), Ability::Yes),
            (one("big-cloud", 384, "", true), Ability::No),
        ];
        assert_eq!(models, want);
        assert_eq!(listed(&json!({ "error": "x" })), []);
    }
}
