//! `music export`.

use std::io::{BufWriter, Write};
use std::path::Path;

use archy_content::{Exported, Library};
use serde_json::json;

use super::columns::count;
use crate::data::{cannot, create};
use crate::exit::{Exit, Trouble};
use crate::terminal::Terminal;

pub(super) fn export(terminal: Terminal, library: &Library, file: Option<&Path>) -> Result<Exit, Trouble> {
    let mut lines = 0;
    let Some(path) = file else {
        // An export is JSON, whether that was asked for or not.
        library.export(&mut |line| Terminal::new(true).document(&line))?;
        return Ok(Exit::Done);
    };
    create(path, |file| {
        let mut to = BufWriter::new(file);
        library.export(&mut |line: Exported| {
            lines += 1;
            serde_json::to_writer(&mut to, &line).map_err(|error| Trouble::failed(error.to_string()))?;
            to.write_all(b"\n").map_err(|error| cannot("write", path, &error))
        })?;
        to.flush().map_err(|error| cannot("write", path, &error))
    })?;
    terminal.document(&json!({"version": 1, "exit": Exit::Done, "lines": lines}))?;
    terminal.line(&format!("{} written to {}.", count(lines, "line"), path.display()))?;
    Ok(Exit::Done)
}
