//! Other hosts, other origins, other places: who is not looked at, over HTTP and over a `WebSocket`.

use archy_web::{BASE, Kind, Site};
use serde_json::json;

use crate::door::{Header, Served, call};

/// What each host and origin comes to: over HTTP, and over a `WebSocket`.
#[test]
fn only_the_nodes_own_names_and_origins_are_answered() {
    let served = Served::start();
    let halves = served.logs_in();
    let port = served.port;
    let own = |name: &str| format!("http://{name}:{port}");
    let (misdirected, forbidden, done) = ((421, 421), (403, 403), (200, 101));
    let table = [
        (format!("127.0.0.1:{port}"), Some(own("127.0.0.1")), done),
        (format!("127.0.0.1:{port}"), None, done),
        (format!("127.0.0.1:{port}"), Some(own("localhost")), forbidden),
        (format!("127.0.0.1:{port}"), Some("null".to_owned()), forbidden),
        (format!("127.0.0.1:{port}"), Some("http://evil.example".to_owned()), forbidden),
        (format!("127.0.0.1:{port}"), Some("http://127.0.0.1".to_owned()), forbidden),
        (format!("127.0.0.1:{port}"), Some(format!("https://127.0.0.1:{port}")), forbidden),
        (format!("127.0.0.1:{port}"), Some(format!("http://127.0.0.1:{}", port ^ 1)), forbidden),
        (format!("localhost:{port}"), Some(own("localhost")), done),
        (format!("localhost:{port}"), None, done),
        (format!("localhost:{port}"), Some(own("127.0.0.1")), forbidden),
        (format!("localhost:{port}"), Some("null".to_owned()), forbidden),
        (format!("localhost:{port}"), Some("http://evil.example".to_owned()), forbidden),
        (format!("evil.example:{port}"), Some(own("evil.example")), misdirected),
        (format!("evil.example:{port}"), Some(own("127.0.0.1")), misdirected),
        (format!("evil.example:{port}"), None, misdirected),
        (format!("evil.example:{port}"), Some("null".to_owned()), misdirected),
        (format!("evil.localhost:{port}"), Some(own("evil.localhost")), misdirected),
        (format!("evil.localhost:{port}"), Some(own("localhost")), misdirected),
        (format!("evil.localhost:{port}"), None, misdirected),
        ("127.0.0.1".to_owned(), None, misdirected),
        (format!("[::1]:{port}"), None, misdirected),
        (format!("0.0.0.0:{port}"), None, misdirected),
        (format!("127.0.0.1:{port}."), None, misdirected),
    ];
    for (host, origin, expected) in table {
        let mut headers: Vec<Header> = vec![
            ("host", host.clone()),
            ("cookie", served.cookie(&halves.cookie)),
            ("x-archy-csrf", halves.csrf.clone()),
            ("content-type", "application/json".to_owned()),
        ];
        headers.extend(origin.clone().map(|origin| ("origin", origin)));
        let answer = served.ask("POST /rpc", &headers, &call("pending", &json!({})).to_string());
        let socket = served.socket(&headers).map_or_else(|status| status, |_| 101);
        assert_eq!((answer.status, socket), expected, "{host} {origin:?}");
    }
}

#[test]
fn what_a_browser_says_of_where_it_comes_from_counts() {
    let served = Served::start();
    let halves = served.logs_in();
    let from = |site: &str| [served.of_session(&halves), vec![("sec-fetch-site", site.to_owned())]].concat();
    let body = call("pending", &json!({})).to_string();
    let asked = |site: &str| {
        let socket = served.socket(&from(site)).map_or_else(|status| status, |_| 101);
        (served.ask("POST /rpc", &from(site), &body).status, socket)
    };
    assert_eq!(asked("same-origin"), (200, 101));
    assert_eq!(asked("none"), (403, 101), "a person sends no form to it");
    assert_eq!((asked("same-site"), asked("cross-site"), asked("")), ((403, 403), (403, 403), (403, 403)));
    let session = |line: &str, origin: &str| {
        served.ask(line, &[("origin", origin.to_owned())], &json!({"once": served.once}).to_string()).status
    };
    for origin in ["null", "http://evil.example"] {
        assert_eq!([session("POST /session", origin), session("DELETE /session", origin)], [403; 2]);
    }
    assert_eq!(session("POST /session", &served.origin()), 200, "nobody has used the link");
}

#[test]
fn a_host_in_the_requests_line_is_a_host_too() {
    let served = Served::start();
    let at = |host: &str| served.ask(&format!("GET http://{host}/aiui/"), &[], "").status;
    assert_eq!(
        [at(&served.host()), at("evil.example"), at(&format!("localhost:{}", served.port))],
        [200, 421, 421]
    );
    let twice = [("host", served.host()), ("host", "evil.example".to_owned())];
    let asked = served.ask("GET /aiui/", &twice, "").status;
    assert!(asked == 421 || asked == 400, "{asked}");
}

#[test]
fn page_and_frame_are_given_only_where_they_belong() {
    let served = Served::start();
    let frame = format!("{BASE}frame/");
    let get = |path: &str, dest: Option<&str>, site: Option<&str>| {
        let said = |name, value: Option<&str>| value.map(|value| (name, value.to_owned()));
        let headers = [said("sec-fetch-dest", dest), said("sec-fetch-site", site)];
        let answer =
            served.ask(&format!("GET {path}"), &headers.into_iter().flatten().collect::<Vec<_>>(), "");
        (answer.status, answer.header("location").map(ToOwned::to_owned))
    };
    let status = |path: &str, dest: Option<&str>, site: Option<&str>| get(path, dest, site).0;
    let (document, iframe, same) = (Some("document"), Some("iframe"), Some("same-origin"));
    assert_eq!(status(BASE, None, None), 200, "a program that is no browser");
    assert_eq!(status(BASE, document, Some("none")), 200);
    assert_eq!(status(BASE, document, same), 200);
    for site in [Some("cross-site"), Some("same-site"), Some("")] {
        assert_eq!(status(BASE, document, site), 403, "{site:?}");
        assert_eq!(status(&format!("{BASE}main.js"), Some("script"), site), 403, "{site:?}");
    }
    for dest in ["iframe", "frame", "embed", "object", "fencedframe"] {
        assert_eq!(status(BASE, Some(dest), same), 403, "{dest}");
    }
    assert_eq!(status(&frame, iframe, same), 200);
    for (dest, site) in [
        (None, None),
        (iframe, None),
        (None, same),
        (document, same),
        (document, Some("none")),
        (iframe, Some("none")),
        (iframe, Some("same-site")),
        (iframe, Some("cross-site")),
        (Some("empty"), same),
        (Some("script"), same),
    ] {
        assert_eq!(status(&frame, dest, site), 403, "{dest:?} {site:?}");
    }
    assert_eq!(status(&format!("{frame}?what=it-knows"), iframe, same), 403);
    assert_eq!(status(&format!("{frame}?"), iframe, same), 403);
    // No redirect below the base path, and one to it from where a person may begin.
    let to_the_page = (303, Some(BASE.to_owned()));
    assert_eq!((get("/", document, None), get("/aiui", document, None)), (to_the_page.clone(), to_the_page));
    for path in
        ["/aiui/frame", "/aiui//", "/aiui/../rpc", "/aiui/%2e%2e/rpc", "/aiui/frame/x", "/aiui/nothing", "/x"]
    {
        assert_eq!(get(path, iframe, same), (404, None), "{path}");
    }
    for line in
        ["POST /aiui/", "PUT /aiui/main.js", "OPTIONS /aiui/", "TRACE /", "PATCH /session", "PUT /rpc"]
    {
        assert_eq!(served.ask(line, &[], "").status, 405, "{line}");
    }
}

#[test]
fn each_file_is_served_as_it_is_under_its_own_headers() {
    let served = Served::start();
    for host in [served.host(), format!("localhost:{}", served.port)] {
        let files = Site::new(&format!("http://{host}"), BASE).unwrap().files();
        assert!(files.iter().any(|file| file.kind == Kind::Frame));
        for file in files {
            let dest = if file.kind == Kind::Frame { "iframe" } else { "empty" };
            let headers = [
                ("host", host.clone()),
                ("sec-fetch-dest", dest.to_owned()),
                ("sec-fetch-site", "same-origin".to_owned()),
            ];
            let answer = served.ask(&format!("GET {BASE}{}", file.path), &headers, "");
            let of_http = ["content-length", "date", "connection"];
            let mut told: Vec<(String, String)> =
                answer.headers.into_iter().filter(|(name, _)| !of_http.contains(&name.as_str())).collect();
            let mut meant: Vec<(String, String)> =
                file.headers.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
            told.sort();
            meant.sort();
            assert_eq!(
                (answer.status, told, answer.body),
                (200, meant, file.body.into_owned()),
                "{}",
                file.path
            );
        }
    }
}
