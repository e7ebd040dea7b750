//! The two tool traits without their types, as the toolbox keeps them.

use std::any::Any;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::Value;

use super::{Approved, ArgsError, Plan, Read, ToolError, Write, args};
use crate::{Caller, Datum, Shown};

pub(crate) type Soon<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The right to run one write, once. Made by the confirmation's claim, after it is durable, and by nothing else.
pub(crate) struct Claim(pub(in crate::tool) ());

impl Claim {
    /// Only `confirmation` calls this, with the receipt of the durable claim in hand.
    pub(crate) fn after(_: &crate::confirmation::Claimed) -> Self {
        Self(())
    }

    #[cfg(archy_weak)]
    pub(crate) fn forged() -> Self {
        Self(())
    }

    /// For tests of what a tool does once it was confirmed.
    #[cfg(test)]
    pub(crate) fn for_tests() -> Self {
        Self(())
    }
}

pub(crate) trait AnyRead: Send + Sync {
    fn canonical(&self, raw: &str) -> Result<String, ArgsError>;
    fn read<'a>(&'a self, caller: &'a Caller, args: &'a str) -> Soon<'a, Result<Datum, ToolError>>;
}

pub(crate) trait AnyWrite: Send + Sync {
    fn canonical(&self, raw: &str) -> Result<String, ArgsError>;
    fn plan<'a>(&'a self, caller: &'a Caller, args: &'a str)
    -> Soon<'a, Result<Box<dyn Pending>, ToolError>>;
}

/// A planned write, waiting for a person.
pub(crate) trait Pending: Send + Sync {
    /// The change, encoded: integers exact, fields in order.
    fn change(&self) -> &[u8];
    /// The confirmation's text, with what the crate adds.
    fn text(&self, tool: &str, args: &str, asked: &[(&'static str, String)]) -> Shown;
    /// Whether a plan made just now would do the same.
    fn same(&self, now: &dyn Pending) -> bool;
    /// The typed change, for `same`.
    fn as_any(&self) -> &dyn Any;
    /// Runs it.
    fn apply(self: Box<Self>, caller: &Caller, claim: Claim) -> Soon<'_, Result<Datum, ToolError>>;
}

pub(crate) struct ErasedRead<T> {
    pub(crate) tool: T,
    pub(crate) schema: Arc<Value>,
}

impl<T: Read> AnyRead for ErasedRead<T> {
    fn canonical(&self, raw: &str) -> Result<String, ArgsError> {
        args::canonical::<T::Args>(raw, &self.schema)
    }

    fn read<'a>(&'a self, caller: &'a Caller, args: &'a str) -> Soon<'a, Result<Datum, ToolError>> {
        Box::pin(async move {
            let args = args::parse(args, &self.schema).map_err(|error| ToolError::new(error.0))?;
            self.tool.read(caller, args).await
        })
    }
}

pub(crate) struct ErasedWrite<T> {
    pub(crate) tool: Arc<T>,
    pub(crate) schema: Arc<Value>,
}

impl<T: Write> AnyWrite for ErasedWrite<T> {
    fn canonical(&self, raw: &str) -> Result<String, ArgsError> {
        args::canonical::<T::Args>(raw, &self.schema)
    }

    fn plan<'a>(
        &'a self,
        caller: &'a Caller,
        args: &'a str,
    ) -> Soon<'a, Result<Box<dyn Pending>, ToolError>> {
        Box::pin(async move {
            let args = args::parse(args, &self.schema).map_err(|error| ToolError::new(error.0))?;
            let plan = self.tool.plan(caller, args).await?;
            let encoded = serde_json::to_vec(&plan.change)
                .map_err(|error| ToolError::new("the change cannot be written down").caused_by(error))?;
            Ok(Box::new(Planned { tool: Arc::clone(&self.tool), plan, encoded }) as Box<dyn Pending>)
        })
    }
}

struct Planned<T: Write> {
    tool: Arc<T>,
    plan: Plan<T::Change>,
    encoded: Vec<u8>,
}

impl<T: Write> Pending for Planned<T> {
    fn change(&self) -> &[u8] {
        &self.encoded
    }

    fn text(&self, tool: &str, args: &str, asked: &[(&'static str, String)]) -> Shown {
        self.plan.text.finish(&self.plan.undo, tool, args, asked)
    }

    fn same(&self, now: &dyn Pending) -> bool {
        now.as_any().downcast_ref::<T::Change>().is_some_and(|now| *now == self.plan.change)
    }

    fn as_any(&self) -> &dyn Any {
        &self.plan.change
    }

    fn apply(self: Box<Self>, caller: &Caller, claim: Claim) -> Soon<'_, Result<Datum, ToolError>> {
        Box::pin(async move { self.tool.apply(caller, Approved::new(self.plan.change, &claim)).await })
    }
}

/// A read that needs a person, because text from others is in the conversation and its arguments reach the outside.
pub(crate) fn planned_read(read: Arc<dyn AnyRead>, args: &str) -> Box<dyn Pending> {
    Box::new(PlannedRead { read, args: args.to_owned() })
}

struct PlannedRead {
    read: Arc<dyn AnyRead>,
    args: String,
}

impl Pending for PlannedRead {
    fn change(&self) -> &[u8] {
        &[]
    }

    fn text(&self, tool: &str, args: &str, asked: &[(&'static str, String)]) -> Shown {
        super::ConfirmText::new("Let this reach someone outside the node").finish(
            &super::Undo::Never,
            tool,
            args,
            asked,
        )
    }

    fn same(&self, now: &dyn Pending) -> bool {
        now.as_any().downcast_ref::<String>() == Some(&self.args)
    }

    fn as_any(&self) -> &dyn Any {
        &self.args
    }

    fn apply(self: Box<Self>, caller: &Caller, _: Claim) -> Soon<'_, Result<Datum, ToolError>> {
        Box::pin(async move { self.read.read(caller, &self.args).await })
    }
}
