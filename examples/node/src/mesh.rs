//! The radio's door: the owner's settings below the data directory, and the radio that is served with them.

use std::fs;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use archy_assistant::{Assistant, SystemClock};
use archy_mesh::{Companion, FileMemory, Radio, Settings, Tcp, TrustNobody};

use crate::data::{self, Data};
use crate::exit::Trouble;
use crate::terminal::tell;

/// The file's name below the data directory.
pub(crate) const NAME: &str = "radio.json";

/// What must outlive a restart.
const HEARD: &str = "radio-heard.json";
/// How often it is looked whether the owner has changed the settings.
const LOOK: Duration = Duration::from_secs(2);

/// Answers over the radio at `address` until it is dropped. What the owner changes meanwhile counts within two seconds; while
/// the settings cannot be read the door is closed.
pub(crate) async fn serve(data: Data, assistant: Assistant, address: String) {
    let settings = read(&data).unwrap_or_default();
    let memory = FileMemory(data.join(HEARD));
    let radio = Radio::new(assistant, settings, Arc::new(TrustNobody), memory, Arc::new(SystemClock));
    let watching = async {
        let (mut before, mut trouble) = (String::new(), None);
        loop {
            let settings = read(&data);
            let now = settings.as_ref().err().map(|trouble| trouble.says.clone());
            if now != trouble {
                tell(&now.as_ref().map_or_else(
                    || "Radio: the settings can be read again.".to_owned(),
                    |why| format!("Radio: nobody is answered while the settings cannot be read: {why}"),
                ));
                trouble = now;
            }
            let settings = settings.unwrap_or_default();
            if settings != radio.settings() {
                radio.configure(settings);
            }
            let now = archy_mesh::rpc::said(&radio.status());
            if now != before {
                tell(&format!("Radio: {now}."));
                before = now;
            }
            tokio::time::sleep(LOOK).await;
        }
    };
    tokio::join!(radio.serve(Companion::new(Tcp(address), Arc::new(SystemClock))), watching);
}

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
