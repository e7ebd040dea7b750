//! The Bitcoin node and the balance. Nothing here can spend.

use super::part;
use crate::{Category, Sentence, Spec};

/// The result is a record `{height: Int, headers: Int?, synced: Percent, network: Text?, peers: Int?, mempool: Int?,
/// fee: Int?}`: `mempool` in transactions, `fee` in sat per virtual byte for the next blocks.
pub(crate) fn bitcoin_status() -> Spec {
    Spec::new("bitcoin_status", Category::Bitcoin, "The Bitcoin node: block height, sync, mempool and fees.")
        .phrases([
            "what block are we at",
            "is the blockchain fully synced",
            "how far is the chain synced",
            "block height",
            "block count",
            "current block",
            "latest block",
            "how far along is the bitcoin sync",
            "is the node synced",
            "is bitcoin synced",
            "sync progress",
            "initial block download",
            "bitcoin fees",
            "what are the fees right now",
            "transaction fees in the mempool",
            "fee rate sats per vbyte",
            "how many transactions are in the mempool",
            "is bitcoin caught up",
            "caught up with the chain tip",
            "how many blocks are left",
            "how many blocks behind are we",
            "status of the bitcoin node",
            "status of the blockchain",
            "state of the chain",
            "is the chain up to date",
            "bitcoin network status",
            "how many bitcoin peers",
            "when was the last block found",
            "still syncing",
            "is the node at the tip",
            "is it still downloading the blockchain",
            "percent verified of the chain",
            "has the sync finished",
            "is the sync done",
            "bitcoin-cli getblockcount",
            "bitcoin-cli getblockchaininfo",
            "bitcoin-cli getmempoolinfo",
            "bitcoin-cli getinfo",
        ])
        .answer(|chain| {
            Sentence::plain("Bitcoin is at block ")
                .and(chain.get("height"))
                .and(part(" of ", chain.get("headers"), ""))
                .and(part(", ", chain.get("synced"), " synced"))
                .and(part(", with ", chain.get("peers"), " peers"))
                .and(part("; ", chain.get("mempool"), " transactions wait"))
                .and(part("; the next blocks take ", chain.get("fee"), " sat/vB"))
                .and(".")
        })
}

/// The result is a record `{total: Sats, onchain: Sats?, lightning: Sats?, ecash: Sats?}`.
pub(crate) fn balances() -> Spec {
    Spec::new("balances", Category::Wallet, "How much bitcoin the wallet holds. It cannot spend.")
        .phrases([
            "what is my wallet balance",
            "how many sats do i have",
            "how much bitcoin do i have",
            "how much money is in my wallet",
            "how much is in the wallet",
            "my balance",
            "what is my lightning balance",
            "on chain balance",
            "how much btc do i own",
            "what are my funds",
            "how rich am i",
            "how many coins do i hold",
            "how many satoshis are left in the wallet",
            "what is my wallet worth",
            "total balance",
            "how much ecash do i have",
            "do i have any sats left",
            "how full is my wallet",
            "what is in my wallet",
            "how much have i stacked",
            "lncli walletbalance",
            "lncli channelbalance",
            "bitcoin-cli getbalance",
            "lightning-cli listfunds",
        ])
        .answer(|wallet| {
            Sentence::plain("You have ")
                .and(wallet.get("total"))
                .and(part(", on chain ", wallet.get("onchain"), ""))
                .and(part(", in Lightning ", wallet.get("lightning"), ""))
                .and(part(", as ecash ", wallet.get("ecash"), ""))
                .and(".")
        })
}
