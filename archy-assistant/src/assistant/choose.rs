//! Who answers: the chain as one turn walks it, and the question before it leaves the owner's machines.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::Inner;
use super::circuit::Circuit;
use super::driver::{Driver, Next};
use super::propose::{Asker, Question};
use super::request::{Again, Ready, Recipient};
use crate::backend::{BackendError, BackendFault};
use crate::chain::{self, Link, Step};
use crate::confirmation::{Asking, Crossing, Subject};
use crate::tool::Pending;
use crate::turn::input::Input;
use crate::{Calls, Categories, Grants, Limited, Locality, Mind, Request, Settled, id, phrases};

/// So often a backend is asked again before another one is.
const RETRIES: u32 = 2;
/// A backend that wants to be left alone for longer is not waited for.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Where one turn stands in the chain.
pub(super) struct Chain {
    /// The place of the backend that answers, once there is one.
    place: Option<usize>,
    stands: Vec<Stand>,
    /// How often the backend at `place` was asked again for the request under way.
    retries: u32,
    /// What a person is being asked, and for which place.
    asked: Option<(usize, Crossing)>,
    /// Bytes of messages that have left under an agreement.
    left: u64,
    /// Who did not answer, until somebody else does.
    instead_of: Option<(String, BackendFault)>,
}

/// How a turn stands to one backend.
#[derive(Debug, Clone, Default)]
struct Stand {
    failed: bool,
    /// What a person has agreed to.
    agreed: Option<Crossing>,
}

/// What comes of looking for who answers.
pub(super) enum Picked {
    /// This request goes once its input is committed.
    Ready(Box<Ready>),
    /// The machine is told this instead.
    Told(Box<Next>),
}

impl Picked {
    /// The machine's next input; a request that is ready is put into `goes`.
    pub(super) fn next(self, goes: &mut Option<Ready>) -> Next {
        match self {
            Self::Told(next) => *next,
            Self::Ready(mut ready) => {
                let next = std::mem::replace(&mut ready.next, Next::plain(Input::Cancel));
                *goes = Some(*ready);
                next
            }
        }
    }
}

impl Chain {
    pub(super) fn new(backends: usize) -> Self {
        let stands = vec![Stand::default(); backends];
        Self { place: None, stands, retries: 0, asked: None, left: 0, instead_of: None }
    }
}

impl Driver {
    /// The request to whoever is asked now. Nothing has gone anywhere when this returns.
    pub(super) async fn pick(&mut self, calls: Calls) -> Picked {
        match self.chain.place {
            Some(place) => self.picked(calls, place).await,
            None => self.walk(calls, None, nobody()).await,
        }
    }

    /// A reply failed before anything of it was seen: it is asked again, or somebody else is.
    pub(super) async fn broke(&mut self, request: &Request, error: BackendError) -> Picked {
        let Some((place, backend)) =
            self.chain.place.and_then(|place| Some((place, self.inner.backends.get(place)?)))
        else {
            return Picked::Told(Box::new(Next::plain(Input::Broke(error))));
        };
        let facts = backend.facts();
        self.inner.circuit(place, |circuit| circuit.failed(error.class, Instant::now()));
        self.chain.instead_of = Some((facts.name, error.class));
        // What the rules are sure of needs no waiting.
        if let Some(wait) = patience(error.class, facts.locality, self.chain.retries)
            && Instant::now() + wait < self.deadline
            && !(self.has_rules() && phrases::is_sure(request))
        {
            self.chain.retries += 1;
            let mut picked = self.picked(request.calls, place).await;
            if let Picked::Ready(ready) = &mut picked {
                let still = self.still(ready, facts.locality);
                ready.again = Some(Again { wait, still, because: error });
            }
            return picked;
        }
        self.chain.stands[place].failed = true;
        self.walk(request.calls, Some(request), error).await
    }

    /// Something of the reply was seen.
    pub(super) fn answered(&mut self) {
        self.chain.retries = 0;
        self.chain.instead_of = None;
        if let Some(place) = self.chain.place {
            self.inner.circuit(place, Circuit::answered);
        }
    }

    /// A person has decided about a crossing.
    pub(super) fn crossing_decided(&mut self, settled: Settled) {
        if let Some((place, crossing)) = self.chain.asked.take()
            && settled == Settled::Done
        {
            weak!(AgreedForAll, crate::weak::remember("agreed".to_owned()));
            self.chain.stands[place].agreed = Some(crossing);
            self.chain.place = Some(place);
        }
    }

    /// Walks on to the first that can be asked. One that is left alone for a while is passed over, unless nobody else can
    /// answer: then it is asked after all, before a person is.
    async fn walk(&mut self, calls: Calls, request: Option<&Request>, error: BackendError) -> Picked {
        let mut rested: Vec<usize> = Vec::new();
        let mut sure = request.is_some_and(phrases::is_sure);
        loop {
            let can_ask = self.caller.is_chrome() && self.inner.sink.is_some();
            let links: Vec<_> = std::iter::zip(&self.inner.backends, &self.chain.stands)
                .enumerate()
                .map(|(place, (backend, stand))| {
                    let failed = stand.failed || rested.contains(&place);
                    Link::new(&**backend, failed, stand.agreed.is_some())
                })
                .collect();
            let step = chain::next(&links, sure, self.inner.when_local_is_down, can_ask);
            let place = match (step, rested.first()) {
                (Step::Use(place), _) | (_, Some(&place)) => place,
                #[cfg(archy_weak)]
                (Step::Ask(place), None) if crosses_unasked() => place,
                (Step::Ask(place), None) => {
                    return Picked::Told(Box::new(self.ask_to_cross(place, error).await));
                }
                (Step::Nobody, None) => return Picked::Told(Box::new(Next::plain(Input::Broke(error)))),
            };
            let picked = self.picked(calls, place).await;
            let rests = self.inner.circuit(place, |circuit| circuit.is_open(Instant::now()));
            if let (Some(why), Picked::Ready(ready)) = (rests, &picked)
                && !rested.contains(&place)
            {
                sure = sure || phrases::is_sure(&ready.request);
                self.chain.instead_of.get_or_insert((ready.backend.facts().name, why));
                rested.push(place);
                continue;
            }
            self.chain.place = Some(place);
            self.chain.retries = 0;
            return picked;
        }
    }

    fn has_rules(&self) -> bool {
        let stands = std::iter::zip(&self.inner.backends, &self.chain.stands);
        stands.into_iter().any(|(backend, stand)| !stand.failed && backend.facts().mind == Mind::Rules)
    }

    async fn picked(&mut self, calls: Calls, place: usize) -> Picked {
        let Some(backend) = self.inner.backends.get(place).map(Arc::clone) else {
            return Picked::Told(Box::new(Next::plain(Input::Broke(nobody()))));
        };
        let agreed = self.chain.stands[place].agreed.clone();
        let mut destination = backend.facts().destination();
        if let Some(crossing) = agreed.as_ref().filter(|_| !weak!(ClassesForgotten)) {
            destination = destination.narrowed_to(crossing.classes);
        }
        let recipient = Recipient { backend, destination, instead_of: self.chain.instead_of.clone() };
        let ready = self.inner.request(&self.caller, &self.history, &self.machine, calls, recipient).await;
        if let Some(crossing) = agreed {
            self.chain.left = self.chain.left.saturating_add(ready.leaves);
            if self.chain.left > crossing.at_most && !weak!(CeilingForgotten) {
                return Picked::Told(Box::new(Next::plain(Input::TooMuch(Limited::Leaving))));
            }
        }
        Picked::Ready(Box::new(ready))
    }

    /// Whether a request that waits before it goes may still go then: what it rests on was not closed meanwhile.
    fn still(&self, ready: &Ready, locality: Locality) -> Box<dyn Fn() -> bool + Send + Sync> {
        let messages = ready.request.messages.iter();
        let holds = messages.fold(Categories::NONE, |all, message| all.union(message.label.holds));
        let inner = Arc::clone(&self.inner);
        Box::new(move || locality.is_home() || holds.within(inner.open()))
    }

    /// Asks a person whether the turn may go to the remote backend at `place`.
    async fn ask_to_cross(&mut self, place: usize, error: BackendError) -> Next {
        let backend = self.inner.backends.get(place);
        let crossing = backend
            .and_then(|backend| Crossing::to(&**backend, self.inner.open(), self.inner.limits.leaving));
        let Some(crossing) = crossing else { return Next::plain(Input::Broke(error)) };
        let who = self.chain.instead_of.as_ref().map_or("", |(name, _)| name.as_str());
        let messages = self.history.iter().chain(self.machine.messages());
        let holds = messages.fold(Categories::NONE, |all, message| all.union(message.label.holds));
        let stays = holds.difference(crossing.classes);
        let asking = Asking::new(crossing.clone(), format!("{who}: {error}"), stays);
        let question = Question {
            text: asking.text("", "", &[]),
            subject: Subject::Crossing(crossing.clone()),
            pending: Box::new(asking),
            call: None,
        };
        self.chain.asked = Some((place, crossing));
        let asker = Asker { caller: &self.caller, conversation: self.conversation, turn: self.turn };
        match self.inner.put(asker, question, self.machine.context()).await {
            Ok(put) => put.next(|id| Input::Crossing { id, why: error.class }),
            Err(_) => Next::plain(Input::Broke(error)),
        }
    }
}

impl Inner {
    /// The crossing that today's settings would allow to the backend of that name.
    pub(super) fn crossing_to(&self, name: &str, open: Categories) -> Option<Crossing> {
        let backend = self.backends.iter().find(|backend| backend.facts().name == name)?;
        Crossing::to(&**backend, open, self.limits.leaving)
    }

    /// Whether a crossing would be asked about like this today.
    pub(super) fn may_still_cross(&self, crossing: &Crossing, grants: &Grants) -> bool {
        self.crossing_to(&crossing.backend, grants.open).as_ref() == Some(crossing)
    }

    fn circuit<T>(&self, place: usize, look: impl FnOnce(&mut Circuit) -> T) -> T {
        let mut circuits = self.circuits.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        look(circuits.entry(place).or_default())
    }
}

#[cfg(archy_weak)]
fn crosses_unasked() -> bool {
    weak!(CrossesUnasked) || (weak!(AgreedForAll) && crate::weak::is_remembered("agreed"))
}

fn nobody() -> BackendError {
    BackendError { class: BackendFault::Unreachable, detail: "no backend is set up".to_owned() }
}

/// How long to wait before the same backend is asked again; `None` when it is not.
fn patience(why: BackendFault, locality: Locality, retries: u32) -> Option<Duration> {
    if retries >= RETRIES {
        return None;
    }
    let base = Duration::from_millis(500) * 2_u32.pow(retries);
    let wait = match why {
        BackendFault::Busy(after) => after.unwrap_or(base).max(base),
        // A network far away hiccups; a server at home that is not there is not there.
        BackendFault::Unreachable if !locality.is_home() => base,
        BackendFault::ModelFault | BackendFault::Broken if retries == 0 => Duration::ZERO,
        _ => return None,
    };
    if wait > LONGEST_WAIT {
        return None;
    }
    // Never sooner than the backend said, and not all at once.
    let jitter = u32::try_from(id::random() % 256).unwrap_or(0);
    Some(wait + wait * jitter / 1024)
}
