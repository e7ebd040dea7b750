//! The builder: which traits the node gives, and so which tools it has.

use std::fmt;
use std::sync::Arc;

use super::app_control::{ControlApp, Verb};
use super::candidates::{AppNames, Folders, SettingKeys, SettingValues};
use super::search::{NodeSearch, Sources};
use super::setting_control::SettingSet;
use super::{apps, assistant, balances, bitcoin, files, network, notes, settings, specs, system};
use crate::host::{
    AppControl, Apps, Balances, Bitcoin, Files, Minds, Network, Notes, Peers, SettingControl, Settings,
    System,
};
use crate::{Candidates, GrantSource, Toolbox};

/// The first set of tools, over what the node gives. A trait that is not given means that its tools are absent; a
/// controlling half without its reading half has no tools either.
///
/// ```
/// use std::sync::Arc;
/// use archy_assistant::host::{Memory, System, SystemStatus, Disk};
/// use archy_assistant::{Answer, Caller, FirstTools};
///
/// struct Machine;
/// impl System for Machine {
///     fn status<'a>(&'a self, _: &'a Caller) -> Answer<'a, SystemStatus> {
///         Box::pin(async { Ok(SystemStatus { up_seconds: Some(60), ..SystemStatus::default() }) })
///     }
///     fn disks<'a>(&'a self, _: &'a Caller) -> Answer<'a, Vec<Disk>> {
///         Box::pin(async { Ok(vec![]) })
///     }
/// }
///
/// let toolbox = FirstTools::new().system(Arc::new(Machine)).into_toolbox();
/// let names: Vec<_> = toolbox.specs().map(|(spec, _)| spec.name()).collect();
/// assert_eq!(names, ["system_status", "disk_status"]);
/// ```
#[derive(Default)]
pub struct FirstTools {
    sources: Sources,
    app_control: Option<Arc<dyn AppControl>>,
    setting_control: Option<Arc<dyn SettingControl>>,
    system: Option<Arc<dyn System>>,
    network: Option<Arc<dyn Network>>,
    bitcoin: Option<Arc<dyn Bitcoin>>,
    balances: Option<Arc<dyn Balances>>,
    minds: Option<Arc<dyn Minds>>,
    grants: Option<Arc<dyn GrantSource>>,
}

impl FirstTools {
    /// Nothing is given yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// `apps_list`, `app_status`, `app_logs`.
    #[must_use]
    pub fn apps(mut self, apps: Arc<dyn Apps>) -> Self {
        self.sources.apps = Some(apps);
        self
    }

    /// `app_start`, `app_stop`, `app_restart`, together with [`FirstTools::apps`].
    #[must_use]
    pub fn app_control(mut self, control: Arc<dyn AppControl>) -> Self {
        self.app_control = Some(control);
        self
    }

    /// `settings_list`, `setting_get`.
    #[must_use]
    pub fn settings(mut self, settings: Arc<dyn Settings>) -> Self {
        self.sources.settings = Some(settings);
        self
    }

    /// `setting_set`, together with [`FirstTools::settings`].
    #[must_use]
    pub fn setting_control(mut self, control: Arc<dyn SettingControl>) -> Self {
        self.setting_control = Some(control);
        self
    }

    /// `system_status`, `disk_status`.
    #[must_use]
    pub fn system(mut self, system: Arc<dyn System>) -> Self {
        self.system = Some(system);
        self
    }

    /// `network_status`.
    #[must_use]
    pub fn network(mut self, network: Arc<dyn Network>) -> Self {
        self.network = Some(network);
        self
    }

    /// `peers_list`.
    #[must_use]
    pub fn peers(mut self, peers: Arc<dyn Peers>) -> Self {
        self.sources.peers = Some(peers);
        self
    }

    /// `files_list`, `files_search`, `file_read`.
    #[must_use]
    pub fn files(mut self, files: Arc<dyn Files>) -> Self {
        self.sources.files = Some(files);
        self
    }

    /// `notes_search`.
    #[must_use]
    pub fn notes(mut self, notes: Arc<dyn Notes>) -> Self {
        self.sources.notes = Some(notes);
        self
    }

    /// `bitcoin_status`.
    #[must_use]
    pub fn bitcoin(mut self, bitcoin: Arc<dyn Bitcoin>) -> Self {
        self.bitcoin = Some(bitcoin);
        self
    }

    /// `balances`.
    #[must_use]
    pub fn balances(mut self, balances: Arc<dyn Balances>) -> Self {
        self.balances = Some(balances);
        self
    }

    /// `assistant_status`.
    #[must_use]
    pub fn minds(mut self, minds: Arc<dyn Minds>) -> Self {
        self.minds = Some(minds);
        self
    }

    /// `node_search`, over the given apps, settings, peers, files and notes. It asks at every search what is open and
    /// looks into nothing else, so it takes the same source that the assistant is given.
    #[must_use]
    pub fn search(mut self, grants: Arc<dyn GrantSource>) -> Self {
        self.grants = Some(grants);
        self
    }

    /// The toolbox, and where to do what it does not.
    pub fn into_toolbox(self) -> Toolbox {
        let Sources { apps, settings, peers, files, notes } = self.sources.clone();
        let mut tools = Toolbox::new();
        if let Some(system) = self.system {
            tools = tools.read(system::SystemStatus(Arc::clone(&system))).read(system::DiskStatus(system));
        }
        if let Some(settings) = settings {
            tools = setting_tools(tools, settings, self.setting_control);
        }
        if let Some(apps) = apps {
            tools = app_tools(tools, &apps, self.app_control);
        }
        if let Some(network) = self.network {
            tools = tools.read(network::NetworkStatus(network));
        }
        if let Some(peers) = peers {
            tools = tools.read(network::PeersList(peers));
        }
        if let Some(bitcoin) = self.bitcoin {
            tools = tools.read(bitcoin::BitcoinStatus(bitcoin));
        }
        if let Some(balances) = self.balances {
            tools = tools.read(balances::BalancesRead(balances));
        }
        if let Some(files) = files {
            let folders = Arc::new(Folders(Arc::clone(&files)));
            tools = tools
                .read(files::FilesList { files: Arc::clone(&files), folders })
                .read(files::FilesSearch(Arc::clone(&files)))
                .read(files::FileRead(files));
        }
        if let Some(notes) = notes {
            tools = tools.read(notes::NotesSearch(notes));
        }
        if let Some(grants) = self.grants.filter(|_| !self.sources.categories().is_empty()) {
            tools = tools.read(NodeSearch { sources: self.sources, grants });
        }
        if let Some(minds) = self.minds {
            tools = tools.read(assistant::AssistantStatus(minds));
        }
        tools.elsewhere(specs::elsewhere())
    }
}

fn setting_tools(
    tools: Toolbox,
    settings: Arc<dyn Settings>,
    control: Option<Arc<dyn SettingControl>>,
) -> Toolbox {
    let keys: Arc<dyn Candidates> = Arc::new(SettingKeys(Arc::clone(&settings)));
    let tools = tools
        .read(settings::SettingGet { settings: Arc::clone(&settings), keys: Arc::clone(&keys) })
        .read(settings::SettingsList(Arc::clone(&settings)));
    let Some(control) = control else { return tools };
    let values = Arc::new(SettingValues(Arc::clone(&settings)));
    tools.write(SettingSet { settings, control, keys, values })
}

fn app_tools(mut tools: Toolbox, apps: &Arc<dyn Apps>, control: Option<Arc<dyn AppControl>>) -> Toolbox {
    let names: Arc<dyn Candidates> = Arc::new(AppNames(Arc::clone(apps)));
    tools = tools
        .read(apps::AppsList(Arc::clone(apps)))
        .read(apps::AppStatus { apps: Arc::clone(apps), names: Arc::clone(&names) })
        .read(apps::AppLogs { apps: Arc::clone(apps), names: Arc::clone(&names) });
    let Some(control) = control else { return tools };
    for verb in [Verb::Start, Verb::Stop, Verb::Restart] {
        let (apps, control, names) = (Arc::clone(apps), Arc::clone(&control), Arc::clone(&names));
        tools = tools.write(ControlApp { verb, apps, control, names });
    }
    tools
}

impl fmt::Debug for FirstTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FirstTools").finish_non_exhaustive()
    }
}
