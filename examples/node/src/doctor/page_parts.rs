//! The scripts, styles and frames that a page names.

use reqwest::Url;

/// The URLs that the page at `url` loads by itself: of `script`, `link` and `iframe` tags, those with data in them left out.
pub(super) fn named(page: &str, url: &Url) -> Vec<Url> {
    let mut urls = Vec::new();
    let lower = page.to_ascii_lowercase();
    for (start, _) in lower.match_indices('<') {
        let (tag, attribute) = match &lower[start + 1..] {
            rest if rest.starts_with("script") => ("script", "src"),
            rest if rest.starts_with("link") => ("link", "href"),
            rest if rest.starts_with("iframe") => ("iframe", "src"),
            _ => continue,
        };
        let end = lower[start..].find('>').map_or(lower.len(), |end| start + end);
        let inside = start + 1 + tag.len()..end;
        let Some(value) = value(&page[inside.clone()], &lower[inside], attribute) else { continue };
        if let Ok(named) = url.join(value)
            && named.scheme() != "data"
        {
            urls.push(named);
        }
    }
    urls
}

/// The value of an attribute, with or without quotes.
fn value<'a>(tag: &'a str, lower: &str, attribute: &str) -> Option<&'a str> {
    let start = lower.match_indices(attribute).find_map(|(start, _)| {
        let is_whole = lower[..start].ends_with(|before: char| before.is_ascii_whitespace() || before == '/');
        let rest = lower[start + attribute.len()..].trim_start().strip_prefix('=')?.trim_start();
        is_whole.then_some(lower.len() - rest.len())
    })?;
    let value = &tag[start..];
    match value.chars().next()? {
        quote @ ('"' | '\'') => value[1..].split(quote).next(),
        _ => value.split(|end: char| end.is_ascii_whitespace()).next(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_in_each_form() {
        let page = "<!doctype html><link rel=icon href='data:,'><LINK HREF = \"Page.css\"><script type=module src=main.js></script>\
                    <script defer src='//evil.example/x.js'></script><script data-src=\"no.js\">let a = '<p src=no>'</script>\
                    <a href=\"no\"><iframe src=\"/frame/\"><script/src=é.js></script><script src=";
        let url = Url::parse("https://node.local/aiui/").unwrap();
        let names: Vec<_> = named(page, &url).iter().map(Url::to_string).collect();
        let expected = [
            "https://node.local/aiui/Page.css",
            "https://node.local/aiui/main.js",
            "https://evil.example/x.js",
            "https://node.local/frame/",
            "https://node.local/aiui/%C3%A9.js",
        ];
        assert_eq!(names, expected);
    }
}
