//! What is wrong with who answers, one case at a time: said in words, with what to do about it.

use serde_json::{Value, json};

use crate::node::{Node, PROGRAM};
use crate::ollama::{Model, Server, TINY};
use crate::played::{Played, typed, whole};

const KEY: &str = "sk-ant-canary-77";

/// The lines of the doctor without the way to the program and the data, and its code.
fn doctor(node: &Node, list: &str) -> (i32, String) {
    node.lists(list);
    let ran = node.run(&["doctor", "models"]);
    let data = format!(" --data {}", node.data.path().display());
    (ran.code, ran.out.replace(&data, "").replace(PROGRAM, "archy-node"))
}

fn ollama(url: &str, more: &str) -> String {
    format!("[[backend]]\nkind = \"ollama\"\nurl = \"{url}\"\n{more}\n")
}

fn claude(url: &str, more: &str) -> String {
    format!("[[backend]]\nkind = \"claude\"\nurl = \"{url}\"\nmay-receive = [\"system\"]\n{more}\n")
}

#[test]
fn all_is_well() {
    let node = Node::fresh();
    let (server, far) = (Server::start(&[TINY], []), Played::claude(KEY, []));
    let studio = Played::openai("qwen", []);
    node.keeps("claude", KEY);
    let list = format!(
        "{}{}[[backend]]\nkind = \"openai\"\nname = \"studio\"\nurl = \"{}/v1\"\nmodel = \"qwen\"\n",
        ollama(&server.url, ""),
        claude(&far.url(), ""),
        studio.url()
    );
    let (code, says) = doctor(&node, &list);
    let expected = format!(
        "✓ ollama: the first model that can call tools at {}, on this node: answers with tiny:1b, and can call tools; its \
         context is 8192 tokens\n✓ claude: claude-sonnet-4-5 at {}, elsewhere: answers with claude-sonnet-4-5\n✓ studio: \
         qwen at {}/v1, on this node: answers with qwen\n",
        server.url,
        far.url(),
        studio.url()
    );
    assert_eq!((code, says), (0, expected));
    let told = node.json(&["doctor", "models"]);
    let fine: Vec<&Value> = told["checks"].as_array().unwrap().iter().map(|check| &check["fine"]).collect();
    assert_eq!((&told["exit"], fine), (&json!("done"), vec![&json!(true); 3]));
}

#[test]
fn a_server_that_does_not_run() {
    let node = Node::fresh();
    let (code, says) = doctor(&node, &ollama("http://127.0.0.1:1", ""));
    let expected = "✗ ollama: no server answers at http://127.0.0.1:1: Connection refused (os error 111)\n    Start it with: \
                    ollama serve; or say where it runs: archy-node models set ollama --url URL\n";
    assert_eq!((code, &*says), (1, expected));
    let studio = "[[backend]]\nkind = \"openai\"\nurl = \"http://127.0.0.1:1/v1\"\nmodel = \"m\"\n";
    let (code, says) = doctor(&node, studio);
    assert!(
        code == 1 && says.starts_with("✗ openai: no server answers at http://127.0.0.1:1/v1: "),
        "{says}"
    );
}

#[test]
fn no_model_or_none_that_can_call_tools_or_not_this_one() {
    let node = Node::fresh();
    let talker = Model { name: "talker:70b", size: 9, capabilities: &["completion"], listed: true };
    for (models, more, expected) in [
        (vec![], "", "✗ ollama: the server at URL has no model\n    Get one with: ollama pull qwen3:4b\n"),
        (
            vec![talker.clone()],
            "",
            "✗ ollama: no model at URL can call tools: it has talker:70b\n    Get one that can: ollama pull qwen3:4b\n",
        ),
        (
            vec![talker.clone()],
            "model = \"talker:70b\"",
            "✗ ollama: talker:70b cannot call tools, so it can look up and change nothing\n    Choose one that can: \
             archy-node models set ollama --model NAME; for instance after: ollama pull qwen3:4b; or see \
             whether it follows a schema, and can be asked so: archy-node models --probe\n",
        ),
        (
            vec![TINY],
            "model = \"qwen3:8b\"",
            "✗ ollama: the server at URL has no model qwen3:8b; it has tiny:1b\n    Get it with: ollama pull qwen3:8b; or \
             choose another: archy-node models set ollama --model NAME\n",
        ),
    ] {
        let server = Server::start(&models, []);
        let (code, says) = doctor(&node, &ollama(&server.url, more));
        assert_eq!((code, &*says.replace(&server.url, "URL")), (1, expected));
    }
    let far = Played::claude(KEY, []);
    node.keeps("claude", KEY);
    let (code, says) = doctor(&node, &claude(&far.url(), "model = \"claude-9\""));
    let expected = format!(
        "✗ claude: the server at {} has no model claude-9; it has claude-sonnet-4-5\n    Choose another: archy-node models set \
         claude --model NAME\n",
        far.url()
    );
    assert_eq!((code, says), (1, expected));
}

/// An Ollama server with one model, of which it says this.
fn shows(name: &'static str, shown: Value, listed: Value) -> Played {
    Played::start(move |asked| match &*asked.line {
        "GET /api/tags" => {
            let mut model =
                json!({"name": name, "model": name, "size": 5, "capabilities": ["completion", "tools"]});
            model.as_object_mut().unwrap().extend(listed.as_object().unwrap().clone());
            whole(200, &json!({"models": [model]}))
        }
        "POST /api/show" => whole(200, &shown),
        _ => whole(200, &json!({"version": "0.12.11"})),
    })
}

#[test]
fn a_context_that_is_too_small_is_told_with_the_figure_and_why() {
    let node = Node::fresh();
    let shown = json!({"capabilities": ["completion", "tools"], "model_info": {"tiny.context_length": 2048}});
    let server = shows("tiny:1b", shown, json!({}));
    let (code, says) = doctor(&node, &ollama(&server.url(), ""));
    let expected = "✗ ollama: the context of tiny:1b is 2048 tokens and at least 4096 are needed: the tools take about 1,200, one \
                    thing that is looked up as many again, and the conversation and the answer the rest\n    Choose a model \
                    with a longer one: archy-node models set ollama --model NAME\n";
    assert_eq!((code, &*says), (1, expected));
}

#[test]
fn a_cloud_that_is_not_declared() {
    let node = Node::fresh();
    let remote = json!({"remote_host": "https://ollama.com:443", "remote_model": "gpt-oss:120b"});
    let mut shown = json!({"capabilities": ["completion", "tools"]});
    shown.as_object_mut().unwrap().extend(remote.as_object().unwrap().clone());
    let server = shows("mine", shown, remote);
    let (code, says) = doctor(&node, &ollama(&server.url(), "model = \"mine\""));
    let expected = "✗ ollama: mine runs in a cloud, though its server does not, and is not declared remote\n    Say so: \
                    archy-node models set ollama --locality remote; or choose one that runs here: archy-node models set ollama \
                    --model NAME\n";
    assert_eq!((code, &*says), (1, expected));
    let (code, says) = doctor(&node, &ollama(&server.url(), ""));
    assert!(code == 1 && says.contains("run in a cloud, which is not declared: it has mine\n"), "{says}");
    let (code, _) = doctor(
        &node,
        &ollama(&server.url(), "model = \"mine\"\nlocality = \"remote\"\nmay-receive = [\"system\"]"),
    );
    assert_eq!(code, 0);
}

#[test]
fn a_key_that_is_missing_or_refused() {
    let node = Node::fresh();
    let far = Played::claude(KEY, []);
    let (code, says) = doctor(&node, &claude(&far.url(), ""));
    let missing = "✗ claude: cannot be asked: it has no key\n    Set one: archy-node secrets set claude\n";
    assert_eq!((code, &*says, far.asked().len()), (1, missing, 0));
    node.keeps("claude", "sk-ant-another");
    let (code, says) = doctor(&node, &claude(&far.url(), ""));
    let refused = format!(
        "✗ claude: {} refuses the key: is the key right, and paid for? 401: invalid x-api-key\n    Set a right one: archy-node \
         secrets set claude\n",
        far.url()
    );
    assert_eq!((code, says), (1, refused));
}

#[test]
fn a_wrong_address() {
    let node = Node::fresh();
    let page = Played::start(|_| typed(200, "text/html", "<!DOCTYPE html><title>Router</title>"));
    let (code, says) = doctor(&node, &ollama(&page.url(), ""));
    let begins =
        format!("✗ ollama: what answers at {} is no Ollama server: a web page came from it (", page.url());
    let fix = "\n    Correct the address: archy-node models set ollama --url URL\n";
    assert!(code == 1 && says.starts_with(&begins) && says.ends_with(fix), "{says}");
    let (code, says) =
        doctor(&node, &format!("[[backend]]\nkind = \"openai\"\nurl = \"{}\"\nmodel = \"m\"\n", page.url()));
    let begins = format!(
        "✗ openai: what answers at {} is no server like OpenAI's: a web page came from it (",
        page.url()
    );
    assert!(code == 1 && says.starts_with(&begins), "{says}");
    let nothing = Played::start(|_| typed(404, "text/plain", "404 page not found"));
    let (code, says) = doctor(&node, &ollama(&nothing.url(), ""));
    let begins = format!(
        "✗ ollama: what answers at {} is no Ollama server: its answer is not one (404: ",
        nothing.url()
    );
    assert!(code == 1 && says.starts_with(&begins), "{says}");
}

#[test]
fn no_secure_connection() {
    let node = Node::fresh();
    let plain = Played::start(|_| b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec());
    node.keeps("claude", KEY);
    let url = plain.url().replace("http:", "https:");
    let (code, says) = doctor(&node, &claude(&url, ""));
    let begins = "✗ claude: there is no secure connection: ";
    assert!(code == 1 && says.starts_with(begins) && says.contains("is it an http:// address?"), "{says}");
}

#[test]
fn everything_is_disabled() {
    let node = Node::fresh();
    let (code, says) = doctor(&node, &ollama("http://127.0.0.1:1", "enabled = false"));
    let expected = "✗ No model is enabled, so only the node's own rules answer.\n    Let one answer: archy-node models enable \
                    ollama\n";
    assert_eq!((code, &*says), (1, expected));
    let (code, says) = doctor(&node, "when-local-is-down = \"fail\"\n");
    assert!(code == 1 && says.ends_with("Let one answer: archy-node models add ollama\n"), "{says}");
}

#[test]
fn a_remote_one_that_gets_nothing_or_is_never_asked() {
    let node = Node::fresh();
    let (far, server) = (Played::claude(KEY, []), Server::start(&[TINY], []));
    node.keeps("claude", KEY);
    let nothing = claude(&far.url(), "").replace("[\"system\"]", "[]");
    let (code, says) = doctor(&node, &nothing);
    let expected = "– claude: is asked only with what holds nothing of the node; what is looked up is shown to you and stays here\n    \
                    Where that is too little: archy-node models allow claude system\n";
    assert!(code == 0 && says.ends_with(expected), "{says}");
    let neither = format!("when-local-is-down = \"fail\"\n{nothing}{}", ollama(&server.url, ""));
    let (code, says) = doctor(&node, &neither);
    assert!(
        code == 1 && says.contains("✗ claude: is enabled and never asked") && !says.contains("is asked only"),
        "{says}"
    );
    let never =
        format!("when-local-is-down = \"fail\"\n{}{}", claude(&far.url(), ""), ollama(&server.url, ""));
    let (code, says) = doctor(&node, &never);
    let line =
        "✗ claude: is enabled and never asked: a model at home is listed, and when-local-is-down is fail\n";
    assert!(code == 1 && says.contains(line), "{says}");
    let plain = claude(&far.elsewhere(), "");
    let (code, says) = doctor(&node, &plain);
    let line =
        format!("✗ claude: what goes to {} is not encrypted on its way, its key included\n", far.elsewhere());
    assert!(code == 1 && says.contains(&line), "{says}");
}
