//! The owner's settings of the radio's door, below the data directory.

use std::fs;
use std::io::ErrorKind;

use archy_mesh::Settings;

use crate::data::{self, Data};
use crate::exit::Trouble;

/// The file's name below the data directory.
pub(crate) const NAME: &str = "radio.json";

/// Reads them; where there are none the door is closed.
pub(crate) fn read(data: &Data) -> Result<Settings, Trouble> {
    let path = data.join(NAME);
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Settings::default()),
        Err(error) => return Err(data::cannot("read", &path, &error)),
    };
    serde_json::from_slice(&text).map_err(|error| Trouble::bad_input(format!("{}: {error}", path.display())))
}

/// Changes them.
pub(crate) fn change(data: &Data, how: impl FnOnce(&mut Settings)) -> Result<Settings, Trouble> {
    let _alone = data.editing()?;
    let mut settings = read(data)?;
    how(&mut settings);
    let text = serde_json::to_vec_pretty(&settings).map_err(|error| Trouble::failed(error.to_string()))?;
    data::replace(&data.join(NAME), &text)?;
    Ok(settings)
}
