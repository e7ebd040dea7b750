use crate::node::{Node, ask};

#[test]
fn the_page_is_served_and_logged() {
    let node = Node::fresh();
    let running = node.apps.start("hello").unwrap();
    let port = running.port.unwrap();
    assert_eq!(running.url(), Some(format!("http://127.0.0.1:{port}/")));
    let page = ask(port, b"GET /?x=1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let (head, body) = page.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())), "{head}");
    assert!(body.contains("<h1>Hello from your node</h1>"), "{body}");
    node.wait_for_line("hello", "\"GET /?x=1 HTTP/1.1\" 200 OK");
}

#[test]
fn bad_requests_get_an_answer_and_do_no_harm() {
    let node = Node::fresh();
    let port = node.apps.start("hello").unwrap().port.unwrap();
    let table: [(&[u8], &str); 6] = [
        (b"HEAD / HTTP/1.0\r\n\r\n", "200 OK"),
        (b"GET /other HTTP/1.1\r\n\r\n", "404 Not Found"),
        (b"POST / HTTP/1.1\r\n\r\n", "405 Method Not Allowed"),
        (b"\xff\x00 nonsense\r\n\r\n", "400 Bad Request"),
        (b"GET http://other/ HTTP/1.1\r\n\r\n", "400 Bad Request"),
        (&[b'x'; 9 * 1024], "431 Request Header Fields Too Large"),
    ];
    for (request, status) in table {
        let answer = ask(port, request);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}\r\n")), "{answer}");
    }
    assert!(ask(port, b"GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200 OK"));
}
