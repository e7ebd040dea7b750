use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use archy_node::apps::{AppsError, Status, Supervisor};
use rustix::process::{Pid, Signal, kill_process_group};

use crate::node::{Node, PROGRAM, ask, lives, open, wait_for};

#[test]
fn a_restart_gives_another_process_on_the_same_port() {
    let node = Node::fresh();
    assert_eq!(node.status("hello"), Status::Stopped);
    let first = node.apps.start("hello").unwrap();
    assert_eq!(node.status("hello"), Status::Running(first.clone()));
    assert_eq!(node.apps.start("hello").unwrap(), first);
    let restarted = node.apps.restart("hello").unwrap();
    assert_eq!(restarted.stopped, Some(first.pid));
    assert_ne!(restarted.running.pid, first.pid);
    assert_eq!(restarted.running.port, first.port);
    assert_eq!(node.status("hello"), Status::Running(restarted.running.clone()));
    assert!(!lives(first.pid));
    assert!(node.folder("hello").join("restarts.json").exists());

    assert_eq!(node.apps.stop("hello").unwrap(), Some(restarted.running.pid));
    assert!(!lives(restarted.running.pid));
    assert_eq!(node.status("hello"), Status::Stopped);
    assert_eq!(node.apps.stop("hello").unwrap(), None);
}

/// The node that the next test kills: as its child, this starts `hello`, says its pid, and stays. By itself it does
/// nothing.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test binary takes no other arguments")]
fn node_to_be_killed() {
    let Some(data) = std::env::var_os("NODE_DATA").map(PathBuf::from) else { return };
    println!("\npid {}", open(&data).start("hello").unwrap().pid);
    std::thread::park();
}

#[test]
fn a_killed_node_loses_and_doubles_nothing() {
    let node = Node::fresh();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "apps::node_to_be_killed", "--nocapture"])
        .env("NODE_DATA", node.data.path())
        .env("NODE_SECRET", "x")
        .process_group(0)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let pid: u32 = lines.find_map(|line| line.strip_prefix("pid ")?.parse().ok()).unwrap();
    kill_process_group(Pid::from_child(&child), Signal::KILL).unwrap();
    child.wait().unwrap();

    let adopted = open(node.data.path());
    let Status::Running(running) = node.status("hello") else { panic!("{:?}", node.status("hello")) };
    assert_eq!(running.pid, pid);
    assert_eq!(adopted.start("hello").unwrap(), running);
    assert!(ask(running.port.unwrap(), b"GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200 OK"));
    // Written after the node was killed.
    node.wait_for_line("hello", "\"GET / HTTP/1.1\" 200 OK");
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap();
    assert!(!String::from_utf8_lossy(&environment).contains("NODE_SECRET"));
    assert_eq!(adopted.stop("hello").unwrap(), Some(pid));
}

#[test]
fn a_recycled_pid_is_never_signalled() {
    let node = Node::with_script("exec sleep 60", "");
    let mut stranger = Command::new("sleep").arg("60").spawn().unwrap();
    let boot_id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    fs::create_dir(node.folder("app")).unwrap();
    let record = format!(
        r#"{{"identity":{{"pid":{},"start_ticks":1,"boot_id":{:?}}},"since":1,"port":null,"ended":null}}"#,
        stranger.id(),
        boot_id.trim()
    );
    fs::write(node.folder("app").join("state.json"), record).unwrap();
    assert_eq!(node.status("app"), Status::Exited { code: None });
    assert_eq!(node.apps.stop("app").unwrap(), None);
    let running = node.apps.start("app").unwrap();
    assert_ne!(running.pid, stranger.id());
    assert_eq!(stranger.try_wait().unwrap(), None);
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}

#[test]
fn what_ignores_the_polite_signal_is_killed_with_its_children() {
    let script = r#"trap "" TERM; sleep 300 & echo child $!; wait; wait"#;
    let node = Node::with_script(script, "stop_seconds = 1");
    let pid = node.apps.start("app").unwrap().pid;
    node.wait_for_line("app", "child ");
    let child = node.apps.logs("app", 1).unwrap()[0].strip_prefix("child ").unwrap().parse().unwrap();
    assert!(lives(child));
    assert_eq!(node.apps.stop("app").unwrap(), Some(pid));
    assert!(!lives(pid) && !lives(child));
    assert_eq!(node.status("app"), Status::Stopped);
}

#[test]
fn what_an_app_leaves_behind_is_ended() {
    let node = Node::with_script("sleep 300 & echo child $!; sleep 1; exit 3", "");
    node.apps.start("app").unwrap();
    node.wait_for_line("app", "child ");
    let child = node.apps.logs("app", 1).unwrap()[0].strip_prefix("child ").unwrap().parse().unwrap();
    wait_for("the exit code", || node.status("app") == Status::Exited { code: Some(3) });
    assert!(!lives(child));
}

#[test]
fn an_app_that_lost_its_shim_is_ended_not_doubled() {
    let node = Node::with_script("exec sleep 300", "");
    let pid = node.apps.start("app").unwrap().pid;
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let shim = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(1).unwrap().parse().unwrap();
    rustix::process::kill_process(Pid::from_raw(shim).unwrap(), Signal::KILL).unwrap();
    wait_for("the app to end", || !lives(pid));
    assert_eq!(node.status("app"), Status::Exited { code: None });
    assert_ne!(node.apps.start("app").unwrap().pid, pid);
}

#[test]
fn a_flood_is_capped_and_its_end_is_readable() {
    let node =
        Node::with_script("seq 1 300000; head -c 100000 /dev/zero; echo; echo over; exec sleep 300", "");
    node.apps.start("app").unwrap();
    node.wait_for_line("app", "over");
    let sizes = ["log", "log.1"].map(|file| fs::metadata(node.folder("app").join(file)).unwrap().len());
    assert!(sizes.iter().all(|size| *size <= 256 * 1024), "{sizes:?}");
    let lines = node.apps.logs("app", 3).unwrap();
    assert_eq!(lines, ["300000".to_owned(), format!("{}…", "\0".repeat(1000)), "over".to_owned()]);
}

#[test]
fn a_broken_manifest_takes_no_other_down() {
    let node = Node::with_script("exec sleep 300", "");
    let pid = node.apps.start("app").unwrap().pid;
    let running = Some(node.apps.start("app").unwrap());
    node.manifest("app", "command = 7");
    node.manifest("needy", "command = [\"true\"]\ndepends_on = [\"app\"]");
    let wrong = "line 3, field `command`: invalid type: integer `7`, expected a sequence";
    let reason = format!("manifest {}: {wrong}", node.data.path().join("apps/app.toml").display());
    assert_eq!(node.status("app"), Status::Broken { reason: reason.clone(), running });
    assert_eq!(node.status("hello"), Status::Stopped);
    for error in [node.apps.start("app").unwrap_err(), node.apps.restart("needy").unwrap_err()] {
        assert_eq!(error.to_string(), format!("app cannot be used: {reason}"));
    }
    // Broken or gone, what runs is listed and can be stopped.
    fs::remove_file(node.data.path().join("apps/app.toml")).unwrap();
    assert!(matches!(node.status("app"), Status::Broken { running: Some(_), .. }));
    assert_eq!(node.apps.stop("app").unwrap(), Some(pid));
    assert!(node.apps.apps().unwrap().iter().all(|app| app.id != "app"));
}

#[test]
fn many_starts_give_one_process() {
    let node = Node::with_script("echo begun; exec sleep 300", "");
    let pids = std::thread::scope(|scope| {
        let start = || open(node.data.path()).start("app").unwrap().pid;
        let starts = [(); 4].map(|()| scope.spawn(start));
        starts.map(|start| start.join().unwrap())
    });
    assert_eq!(pids, [pids[0]; 4]);
    assert_eq!(node.apps.logs("app", 9).unwrap(), ["begun"]);
}

#[test]
fn a_second_shim_is_refused() {
    let node = Node::with_script("echo begun; exec sleep 300", "stop_seconds = 1");
    node.apps.start("app").unwrap();
    let shim = Command::new(PROGRAM)
        .args(["app-shim", "0", "0", "sh", "-c", "echo doubled"])
        .current_dir(node.folder("app"))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(shim.stdout).unwrap(), "\"Locked\"\n");
    assert_eq!(node.apps.logs("app", 9).unwrap(), ["begun"]);
}

#[test]
fn what_ends_at_once_did_not_start() {
    let node = Node::with_script("echo no luck >&2; exit 9", "");
    node.manifest("nothing", "command = [\"/no/such/program\"]");
    let AppsError::StartFailed { id, reason, log } = node.apps.start("app").unwrap_err() else { panic!() };
    let expected = ("app", "its command ended at once with code 9", vec!["no luck".to_owned()]);
    assert_eq!((id.as_str(), reason.as_str(), log), expected);
    assert_eq!(node.status("app"), Status::Exited { code: Some(9) });
    let error = node.apps.start("nothing").unwrap_err().to_string();
    let expected = "nothing did not start: cannot run /no/such/program: No such file or directory (os error 2); \
                    its log may say why";
    assert_eq!(error, expected);
    assert!(matches!(node.apps.start("../app"), Err(AppsError::Unknown { .. })));
}

#[test]
fn dependencies_are_started_first_and_autostart_respects_a_stop() {
    let node = Node::with_script("exec sleep 300", "depends_on = [\"base\"]\nautostart = true");
    node.manifest("base", "command = [\"sleep\", \"300\"]");
    let runs = |id| matches!(node.status(id), Status::Running(_));
    assert!(node.apps.autostart().unwrap().is_empty());
    assert!(runs("app") && runs("base") && runs("hello"));
    assert_eq!(node.apps.dependents("base").unwrap(), ["app"]);
    node.apps.stop("hello").unwrap();
    assert!(node.apps.autostart().unwrap().is_empty());
    assert!(!runs("hello"));
}

#[test]
fn all_that_is_kept_is_private() {
    fn walk(path: &Path, wrong: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(path).unwrap() {
            let entry = entry.unwrap();
            let directory = entry.file_type().unwrap().is_dir();
            let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
            if mode != if directory { 0o700 } else { 0o600 } {
                wrong.push(entry.path());
            }
            if directory {
                walk(&entry.path(), wrong);
            }
        }
    }
    let node = Node::fresh();
    node.apps.restart("hello").unwrap();
    node.apps.restart("hello").unwrap();
    let mut wrong = Vec::new();
    walk(node.data.path(), &mut wrong);
    assert_eq!(wrong, Vec::<PathBuf>::new());
}

#[test]
fn a_directory_that_cannot_be_one_is_one_sentence() {
    let data = tempfile::tempdir().unwrap();
    fs::write(data.path().join("apps"), "in the way").unwrap();
    let error = Supervisor::open_with(data.path(), Path::new(PROGRAM)).unwrap_err().to_string();
    let expected = format!(
        "cannot create {}: File exists (os error 17); check its rights and the free space, then try again",
        data.path().join("apps").display()
    );
    assert_eq!(error, expected);
    assert_eq!(fs::read_to_string(data.path().join("apps")).unwrap(), "in the way");
}

#[test]
fn a_damaged_record_starts_nothing_and_stays() {
    let node = Node::with_script("exec sleep 300", "");
    fs::create_dir(node.folder("app")).unwrap();
    fs::write(node.folder("app").join("state.json"), "{").unwrap();
    assert!(matches!(node.status("app"), Status::Broken { running: None, .. }));
    assert!(matches!(node.apps.start("app"), Err(AppsError::Broken { .. })));
    assert_eq!(fs::read_to_string(node.folder("app").join("state.json")).unwrap(), "{");
}

#[test]
fn a_disk_that_takes_no_record_starts_nothing_and_keeps_the_old_one() {
    let node = Node::with_script("echo begun; exec sleep 300", "");
    let pid = node.apps.start("app").unwrap().pid;
    node.apps.stop("app").unwrap();
    let record = fs::read(node.folder("app").join("state.json")).unwrap();
    // Where the next record is to be written first.
    fs::create_dir(node.folder("app").join("state.new")).unwrap();
    let error = node.apps.start("app").unwrap_err().to_string();
    let path = node.folder("app").join("state.json");
    let expected =
        format!("app did not start: cannot write {}: Is a directory (os error 21);", path.display());
    assert!(error.starts_with(&expected), "{error}");
    assert_eq!(fs::read(node.folder("app").join("state.json")).unwrap(), record);
    assert_eq!(node.apps.logs("app", 9).unwrap(), ["begun"]);
    assert!(!lives(pid));
}
