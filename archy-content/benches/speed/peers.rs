//! The same collection by programs that others use, as far as this machine has them.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::measure::{Used, milliseconds, peak, used};

pub(crate) fn run(music: &Path, place: &Path) {
    mutagen(music);
    beets(music, place);
    mpd(music, place);
}

fn has(program: &str, arguments: &[&str]) -> bool {
    let there = Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success());
    if !there {
        println!("  {program} {}: not here", arguments.join(" "));
    }
    there
}

fn print(what: &str, run: &Used) {
    let (took, cpu) = (milliseconds(run.took), milliseconds(run.cpu));
    println!("  {what:<30} {took:>8} wall {cpu:>8} CPU, peak {} MB", run.peak >> 20);
}

fn mutagen(music: &Path) {
    if !has("python3", &["-c", "import mutagen"]) {
        return;
    }
    let script = "import os,sys,mutagen\nfor at,_,names in os.walk(sys.argv[1]):\n for name in names:\n  \
                  if name.endswith('.mp3'): mutagen.File(os.path.join(at,name))";
    let mut command = Command::new("python3");
    command.args(["-c", script]).arg(music);
    print("mutagen, a loop without index", &used(command));
}

fn beets(music: &Path, place: &Path) {
    if !has("beet", &["version"]) {
        return;
    }
    let home = place.join("beets");
    let _ = fs::remove_dir_all(&home);
    fs::create_dir_all(&home).unwrap();
    let config = format!(
        "directory: {0}/none\nlibrary: {0}/beets.db\nimport: {{copy: no, write: no, autotag: no}}\n",
        home.display()
    );
    fs::write(home.join("config.yaml"), config).unwrap();
    for (what, words) in
        [("beets import -A", &["import", "-A", "-C", "-q"][..]), ("beets update", &["update"])]
    {
        let mut command = Command::new("beet");
        command.env("BEETSDIR", &home).args(words);
        if words[0] == "import" {
            command.arg(music);
        }
        print(what, &used(command));
    }
}

fn mpd(music: &Path, place: &Path) {
    if !has("mpd", &["--version"]) || !has("mpc", &["help"]) {
        return;
    }
    let home = place.join("mpd");
    let _ = fs::remove_dir_all(&home);
    fs::create_dir_all(&home).unwrap();
    let (at, socket) = (home.display(), home.join("socket"));
    let config = format!(
        "music_directory \"{}\"\ndb_file \"{at}/db\"\nbind_to_address \"{at}/socket\"\npid_file \"{at}/pid\"\nauto_update \"no\"\n\
         audio_output {{\n type \"null\"\n name \"none\"\n}}\n",
        music.display()
    );
    fs::write(home.join("conf"), config).unwrap();
    let Ok(mut server) =
        Command::new("mpd").arg("--no-daemon").arg(home.join("conf")).stderr(Stdio::null()).spawn()
    else {
        return;
    };
    while !socket.exists() {
        if let Some(status) = server.try_wait().unwrap() {
            return println!("  mpd did not start: {status}");
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    for what in ["mpd update", "mpd update again"] {
        let mut command = Command::new("mpc");
        command.arg("--host").arg(&socket).args(["--wait", "update"]);
        let took = milliseconds(used(command).took);
        // Processor time and memory are the server's.
        println!("  {what:<30} {took:>8} wall, peak {} MB", peak(server.id()) >> 20);
    }
    let _ = server.kill();
    let _ = server.wait();
}
