//! What a model at home can do is measured when its owner asks, kept, shown, and decides how it is asked.

use serde_json::{Value, json};

use crate::node::Node;
use crate::played::{Asked, Played, typed, whole};

/// A model of an Ollama server that calls no tools and follows a schema.
fn small(asked: &Asked) -> Vec<u8> {
    let line = |text: &str, done: bool| {
        let message = json!({"role": "assistant", "content": text});
        let mut line = json!({"model": "small:1b", "created_at": "2026-11-30T20:00:12Z", "message": message, "done": done});
        if done {
            for (key, value) in
                [("done_reason", json!("stop")), ("prompt_eval_count", json!(200)), ("eval_count", json!(12))]
            {
                line[key] = value;
            }
        }
        format!("{line}\n")
    };
    let says = |pieces: &[&str]| {
        let lines: String = pieces.iter().map(|piece| line(piece, false)).collect();
        typed(200, "application/x-ndjson", &(lines + &line("", true)))
    };
    let able = json!(["completion"]);
    match &*asked.line {
        "GET /api/tags" => {
            let model = json!({"name": "small:1b", "model": "small:1b", "size": 5, "capabilities": able});
            whole(200, &json!({"models": [model]}))
        }
        "POST /api/show" => {
            whole(200, &json!({"capabilities": able, "model_info": {"small.context_length": 8192}}))
        }
        "POST /api/chat" if asked.body["format"].is_object() => says(&[r#"{"number":"seventy-three"}"#]),
        "POST /api/chat" => says(&["one, ", "two"]),
        _ => whole(200, &json!({"version": "0.12.11"})),
    }
}

#[test]
fn a_model_that_follows_a_schema_is_measured_once_and_asked_so() {
    let node = Node::opened();
    let server = Played::start(small);
    node.lists(&format!(
        "[[backend]]\nkind = \"ollama\"\nurl = \"{}\"\nmodel = \"small:1b\"\n",
        server.url()
    ));
    assert_eq!(node.json(&["models"])["models"][0]["card"], Value::Null);
    let doctor = node.run(&["doctor", "models"]);
    assert!(doctor.code == 1 && doctor.out.contains("small:1b cannot call tools"), "{doctor:?}");

    let ran = node.run(&["models", "--probe"]);
    assert_eq!((ran.code, &*ran.err), (0, "Measuring ollama small:1b; a slow model takes minutes.\n"));
    let says = "     calls no tools by itself, but follows a schema, and is asked so; streams; reads ";
    assert!(ran.out.contains(says) && ran.out.contains("; context 8192 tokens (measured "), "{}", ran.out);
    // Nothing of the node was in it.
    assert!(!format!("{:?}", server.chats()).contains("disk"));
    let before = server.chats().len();
    let card = node.json(&["models"])["models"][0]["card"].clone();
    let can = ["streams", "calls_tools", "follows_schema", "context"].map(|key| card[key].clone());
    assert_eq!(can, [json!(true), json!(false), json!(true), json!(8192)]);
    assert_eq!(server.chats().len(), before, "it is kept");
    let doctor = node.run(&["doctor", "models"]);
    assert!(
        doctor.code == 0 && doctor.out.contains(", and follows a schema; its context is 8192 tokens"),
        "{doctor:?}"
    );

    node.run(&["ask", "how much space is left?"]);
    let asked = server.chats().split_off(before);
    assert!(asked.iter().any(|chat| chat["format"].is_object()), "{asked:?}");
    assert!(asked.iter().all(|chat| chat["tools"].as_array().is_none_or(Vec::is_empty)), "{asked:?}");
}

#[test]
fn what_runs_elsewhere_or_does_not_answer_is_not_measured() {
    let node = Node::fresh();
    let (far, broken) = (
        Played::start(small),
        Played::start(|asked| match &*asked.line {
            "POST /api/chat" => {
                whole(500, &json!({"error": "model requires more system memory (5.6 GiB) than is available"}))
            }
            _ => small(asked),
        }),
    );
    node.lists(&format!(
        "[[backend]]\nkind = \"ollama\"\nname = \"far\"\nurl = \"{}\"\nmodel = \"small:1b\"\n[[backend]]\nkind = \"ollama\"\n\
         name = \"near\"\nurl = \"{}\"\nmodel = \"small:1b\"\n",
        far.elsewhere(),
        broken.url()
    ));
    let ran = node.run(&["models", "--probe"]);
    assert!(
        ran.err.starts_with("far runs elsewhere and is not measured.\nMeasuring near small:1b; "),
        "{ran:?}"
    );
    assert!(ran.code == 5 && ran.err.contains("near could not be measured: "), "{ran:?}");
    assert_eq!(far.chats().len(), 0);
    // A file that cannot be read is as good as none.
    std::fs::write(node.data.path().join("model-cards.json"), "[{").unwrap();
    assert_eq!(node.json(&["models"])["models"][0]["card"], Value::Null);
}
