//! The example of a daemon with its own dispatcher, run as anybody would.

use std::process::Command;

#[test]
fn a_daemons_own_session_csrf_and_roles_come_before_a_method() {
    let cargo = env!("CARGO");
    let ran = Command::new(cargo)
        .args(["run", "--quiet", "--locked", "-p", "archy-jsonrpc", "--example", "own_dispatcher"])
        .output()
        .expect("cargo runs");
    let refused = |code, says: &str, name: &str| {
        format!(
            r#"200 {{"error":{{"code":{code},"data":"{name}","message":"{says}"}},"id":1,"jsonrpc":"2.0"}}"#
        )
    };
    let wanted = [
        refused(-32050, "log in first", "unauthenticated"),
        refused(-32051, "the CSRF header is missing", "forbidden"),
        refused(-32051, "your role does not let you call assistant.grants", "forbidden"),
        r#"200 {"id":1,"jsonrpc":"2.0","result":{"held":false,"open":["apps"]}}"#.to_owned(),
    ];
    let printed = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert_eq!(printed.lines().collect::<Vec<_>>(), wanted, "{}", String::from_utf8_lossy(&ran.stderr));
}
