//! The assistant of a self-hosted node.
