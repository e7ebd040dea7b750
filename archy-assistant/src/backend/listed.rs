//! The list of models that servers of different vendors give in the same form.

use serde_json::Value;

use super::BackendError;
use super::fault::no_json;

/// The names in `{"data": [{"id": "…"}]}`. Whoever runs the server chose them.
pub(crate) fn names(text: &str) -> Result<Vec<String>, BackendError> {
    let list: Value =
        serde_json::from_str(text).map_err(|error| no_json("a list of models", &error, text))?;
    let models = list["data"].as_array().map(Vec::as_slice).unwrap_or_default();
    let names = models.iter().filter_map(|model| model["id"].as_str());
    // Anything but short visible ASCII is no name of a model, and would reach a screen.
    let plain =
        |name: &&str| (1..=200).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_graphic());
    Ok(names.filter(plain).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_be_a_name_is_one() {
        let list = r#"{"data":[{"id":"a"},{"id":""},{"id":"b\u001b[31m"},{"name":"c"},{"id":"d:7b"}],"has_more":false}"#;
        assert_eq!(names(list), Ok(vec!["a".to_owned(), "d:7b".to_owned()]));
        assert_eq!(names("{}"), Ok(vec![]));
        assert!(names("<html>").expect_err("no list").detail.starts_with("a web page came"));
    }
}
