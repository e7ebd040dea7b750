//! An answer as plain text for a radio: what a screen would draw is taken out, nothing is added.

/// The most bytes of an answer that are looked at: far more than anybody reads over a radio.
const MOST: usize = 8 * 1024;
/// Marks around links around marks: nobody writes more of them than this.
const MOST_LAYERS: usize = 32;

/// The answer as a radio carries it: one paragraph a line, no Markdown, no address of a page, no thoughts of a model, no
/// control character and none that hides or reorders text. Letters of every script and emoji stay as they were written.
///
/// What comes out never begins like a part's number or with a `!`, so that no other bot takes it for its business.
pub fn render(answer: &str) -> String {
    let answer = respelled(cut(answer));
    let mut lines: Vec<String> = Vec::new();
    for line in without_thoughts(&answer).lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") || is_rule(line) {
            continue;
        }
        let line = if line.starts_with('|') { row(line) } else { heading(line) };
        let line = bare(&line);
        if !line.is_empty() {
            lines.push(line);
        }
    }
    let text = lines.join("\n");
    if looks_numbered(&text) || text.starts_with('!') { format!("- {text}") } else { text }
}

/// Without marks and links. What one of both leaves may be the other: so until nothing changes.
fn bare(line: &str) -> String {
    let mut line = line.to_owned();
    for _ in 0..MOST_LAYERS {
        let less = plain(&without_links(&line));
        if less == line {
            return line;
        }
        line = less;
    }
    "(link)".to_owned()
}

/// Whether a text begins like one of our parts: `1/2 `.
pub(crate) fn looks_numbered(text: &str) -> bool {
    let after_digits = |text: &str| {
        let rest = text.trim_start_matches(|digit: char| digit.is_ascii_digit());
        (rest.len() < text.len()).then(|| rest.to_owned())
    };
    after_digits(text)
        .and_then(|rest| rest.strip_prefix('/').map(str::to_owned))
        .and_then(|rest| after_digits(&rest))
        .is_some_and(|rest| rest.starts_with(' '))
}

fn cut(text: &str) -> &str {
    let mut end = text.len().min(MOST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// A screen is shown what it cannot draw as `⟨U+200D⟩`. Joiners and variation selectors are themselves again, so that an
/// emoji is one; what hides is left out.
fn respelled(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("⟨U+") {
        kept.push_str(before);
        let spelled = after.split_once('⟩').and_then(|(digits, behind)| {
            let letter = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)?;
            Some((letter, behind))
        });
        if let Some((letter, behind)) = spelled {
            let joins = matches!(letter, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}');
            kept.extend(joins.then_some(letter));
            rest = behind;
        } else {
            kept.push_str("⟨U+");
            rest = after;
        }
    }
    kept + rest
}

/// What stands between `<think>` and `</think>` goes; an open one takes the rest with it.
fn without_thoughts(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<think>") {
        kept.push_str(before);
        rest = after.split_once("</think>").map_or("", |(_, after)| after);
    }
    kept + rest.trim_start_matches("</think>")
}

/// `---`, `===`, `***`, and the line below a table's head.
fn is_rule(line: &str) -> bool {
    line.len() >= 3 && line.chars().all(|sign| "-=*_|: ".contains(sign))
}

fn row(line: &str) -> String {
    line.split('|').map(str::trim).filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join(", ")
}

fn heading(line: &str) -> String {
    let text = line.trim_start_matches(['#', '>']);
    let is_heading = text.len() < line.len() && (text.starts_with(' ') || text.is_empty());
    let line = if is_heading { text.trim_start() } else { line };
    match line.strip_prefix("* ").or_else(|| line.strip_prefix("+ ")) {
        Some(item) => format!("- {item}"),
        None => line.to_owned(),
    }
}

/// `[words](address)` is its words; a bare address is `(link)`.
fn without_links(line: &str) -> String {
    let mut kept = String::new();
    let mut rest = line;
    while let Some(open) = rest.find('[') {
        let (before, after) = rest.split_at(open);
        let linked = after[1..].split_once("](").and_then(|(words, to)| {
            let (_, behind) = to.split_once(')')?;
            (!words.contains('[')).then_some((words, behind))
        });
        if let Some((words, behind)) = linked {
            kept.push_str(before.strip_suffix('!').unwrap_or(before));
            kept.push_str(words);
            rest = behind;
        } else {
            kept.push_str(&rest[..=open]);
            rest = &rest[open + 1..];
        }
    }
    kept.push_str(rest);
    let shown = |word: &str| {
        let lower = word.to_ascii_lowercase();
        let is_address = lower.contains("://") || lower.contains("www.") || lower.contains("mailto:");
        if is_address { "(link)".to_owned() } else { word.to_owned() }
    };
    kept.split_inclusive(char::is_whitespace)
        .map(|word| {
            let bare = word.trim_end();
            shown(bare) + &word[bare.len()..]
        })
        .collect()
}

/// Without signs of emphasis and without what cannot be seen; one space where there were several.
fn plain(line: &str) -> String {
    let marks = line.replace("**", "").replace("__", "").replace(['`'], "");
    let mut text = String::new();
    let mut letters = marks.chars().peekable();
    let mut before = ' ';
    while let Some(letter) = letters.next() {
        let after = letters.peek().copied().unwrap_or(' ');
        // An asterisk at a word's edge is emphasis; between spaces or digits it is a sign.
        let emphasis = letter == '*' && (before.is_whitespace() != after.is_whitespace());
        let letter_before = std::mem::replace(&mut before, letter);
        if emphasis || is_hidden(letter) {
            if emphasis {
                before = letter_before;
            }
            continue;
        }
        if letter.is_whitespace() {
            if !text.is_empty() && !text.ends_with(' ') {
                text.push(' ');
            }
        } else {
            text.push(letter);
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// Controls, and what hides or reorders text. A joiner and a variation selector stay: emoji and scripts need them.
fn is_hidden(letter: char) -> bool {
    (letter.is_control() && letter != '\t')
        || matches!(
            letter,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
                | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_a_screen_would_draw_is_taken_out() {
        let cases = [
            ("**Disk**: `412 GB` free.\n\n\n* one\n+ two", "Disk: 412 GB free.\n- one\n- two"),
            ("## State\n> all *well*\n---\n```sh\nls\n```", "State\nall well\nls"),
            ("| app | state |\n|---|---|\n| lnd | up |", "app, state\nlnd, up"),
            ("See [the page](https://x.y/z?q=1) or https://a.b/c now.", "See the page or (link) now."),
            ("![a cat](http://x/y.png) [not a link] 2 * 3", "a cat [not a link] 2 * 3"),
            ("<think>hm\nhm</think>42 \u{1b}[31mGB\u{0}\u{202e}", "42 [31mGB"),
            ("<think>never ends", ""),
            ("👨⟨U+200D⟩👩 a⟨U+202E⟩b ⟨U+zz⟩ ⟨U+", "👨\u{200d}👩 ab ⟨U+zz⟩ ⟨U+"),
            ("https:**//evil.example** is `ht`tp://it [a](b", "(link) is (link) [a](b"),
            ("*[*](x)www__.__evil.example [b[c](d)](e)", "(link) bc"),
            ("log_level is info 👨‍👩‍👧‍👦 Привет", "log_level is info 👨‍👩‍👧‍👦 Привет"),
        ];
        for (answer, text) in cases {
            assert_eq!(render(answer), text, "{answer:?}");
        }
    }

    #[test]
    fn no_answer_looks_like_what_bots_answer_to() {
        assert_eq!(render("1/2 of it is used"), "- 1/2 of it is used");
        assert_eq!(render("!archy help"), "- !archy help");
        assert_eq!(render("1/2"), "1/2");
    }

    proptest! {
        #[test]
        fn whatever_a_model_wrote_is_plain_afterwards(answer in r"(?s)([\PC\x00-\x1f*`\[\]()|#>!]|https://a|:[*]{2}//|_{2}[.]|<think>){0,200}") {
            let text = render(&answer);
            prop_assert!(text.lines().all(|line| line.trim() == line && !line.is_empty()));
            prop_assert!(!text.chars().any(|letter| is_hidden(letter) && letter != '\n'), "{text:?}");
            prop_assert!(!text.contains("://") && !text.contains('`') && !text.contains("**"), "{text:?}");
            prop_assert!(!looks_numbered(&text) && !text.starts_with('!'));
        }
    }
}
