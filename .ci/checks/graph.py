"""Who may depend on whom, and how much the core may cost. The page behind it is ARCHITECTURE.md."""

import os
import re

LIBRARIES = ("archy-assistant", "archy-content")
MOST_CORE_CRATES = 50
CORE_TREE = (
    *("cargo", "tree", "--locked", "--quiet", "-p", "archy-assistant", "--no-default-features"),
    *("-e", "normal", "--prefix", "none", "--format", "{p}"),
)

# Servers and doors; money and keys. By name, since a power that is not linked cannot be used.
FORBIDDEN = re.compile(
    r"(jsonrpsee|uniffi|axum|actix|warp$|rocket|poem|tonic|tiny_http|salvo"
    r"|cdk|cashu|bdk|ldk|lightning|nostr|bitcoin|miniscript|electrum|fedimint|breez|bip39|bip32"
    r"|secp256k1|k256$|libsecp256k1)"
)

# Which kinds of member each kind may depend on, tests and build scripts included.
MAY_USE = {
    "library": set(),
    "wire": set(),
    "adapter": {"library", "wire"},
    "binding": {"wire"},
    "example": {"library", "wire", "adapter", "binding"},
    "eval": {"library", "wire", "adapter", "binding", "example", "eval"},
}


def kind(folder):
    """The kind of the member in this folder (relative to the root), or None outside the layout."""
    if folder in LIBRARIES:
        return "library"
    if folder == "adapters/wire":
        return "wire"
    first = folder.split("/")[0]
    return {"adapters": "adapter", "bindings": "binding", "examples": "example", "evals": "eval"}.get(first)


def members(meta):
    """The workspace's own packages by id."""
    ids = set(meta["workspace_members"])
    return {p["id"]: p for p in meta["packages"] if p["id"] in ids}


def folder_of(meta, package):
    return os.path.relpath(os.path.dirname(package["manifest_path"]), meta["workspace_root"])


def direction(meta):
    faults = []
    own = members(meta)
    kinds = {p["name"]: kind(folder_of(meta, p)) for p in own.values()}
    for package in own.values():
        name = package["name"]
        if kinds[name] is None:
            faults.append(f"{name} lies in {folder_of(meta, package)}, outside the layout")
            continue
        # As declared, so that an optional dependency counts too. A path is what makes one of ours.
        used = {d["name"] for d in package["dependencies"] if d.get("path")} - {name}
        for other in sorted(used & kinds.keys()):
            if kinds[other] and kinds[other] not in MAY_USE[kinds[name]]:
                faults.append(f"{name} ({kinds[name]}) must not depend on {other} ({kinds[other]})")
        if kinds[name] == "library":
            faults += forbidden_below(meta, package)
    return faults


def forbidden_below(meta, package):
    """Forbidden crates anywhere below a library, each with the way there."""
    names = {p["id"]: p["name"] for p in meta["packages"]}
    nodes = {n["id"]: n for n in meta["resolve"]["nodes"]}
    ways, faults = {package["id"]: [package["name"]]}, []
    todo = [package["id"]]
    while todo:
        here = todo.pop(0)
        for dep in nodes[here]["deps"]:
            if dep["pkg"] not in ways:
                ways[dep["pkg"]] = ways[here] + [names[dep["pkg"]]]
                todo.append(dep["pkg"])
    for way in ways.values():
        if FORBIDDEN.match(way[-1]):
            faults.append(f"{way[0]} must never reach {way[-1]}: {' -> '.join(way)}")
    declared = {d["name"] for d in package["dependencies"]} - {way[-1] for way in ways.values()}
    faults += [f"{package['name']} must never declare {d}" for d in sorted(declared) if FORBIDDEN.match(d)]
    return faults


def distinct(tree):
    """The crates in the output of CORE_TREE, the core itself included."""
    return {line.removesuffix(" (*)").removesuffix(" (proc-macro)") for line in tree.splitlines() if line}


def core_count(crates):
    if not crates:
        return ["cargo tree shows no crate of the core"]
    if len(crates) > MOST_CORE_CRATES:
        return [f"the core without features has {len(crates)} crates, more than {MOST_CORE_CRATES}"]
    return []
