"""Every check is shown a sound input, which it must pass, and a seeded fault, which it must name."""

import tempfile
from pathlib import Path

import cold
import graph
import licences
import manifests
import sources


def package(name, folder=None, license="MIT", **more):
    own = folder is not None
    return {
        "id": name,
        "name": name,
        "version": "1.0.0",
        "license": manifests.LICENCE if own else license,
        "rust_version": manifests.MSRV if own else None,
        "manifest_path": f"/w/{folder or 'registry/' + name}/Cargo.toml",
        "dependencies": [],
        "features": {},
        "targets": [],
    } | more


def sound():
    """A small workspace that keeps every rule: name, folder, what it uses."""
    layout = [
        ("archy-assistant", "archy-assistant", ["serde"]),
        ("archy-content", "archy-content", ["serde"]),
        ("archy-wire", "adapters/wire", ["serde"]),
        ("archy-mesh", "adapters/mesh", ["archy-assistant", "archy-wire"]),
        ("archy-cashu", "adapters/cashu", ["archy-assistant", "cdk"]),
        ("archy-voice", "bindings/voice", ["archy-wire", "uniffi"]),
        ("archy-node", "examples/node", ["archy-assistant", "archy-mesh"]),
        ("archy-evals", "evals", ["archy-node"]),
    ]
    packages = [package(name, folder) for name, folder, _ in layout]
    packages += [package(n) for n in ("serde", "cdk", "secp256k1", "uniffi")]
    packages.append(package("webpki-root-certs", license="CDLA-Permissive-2.0"))
    packages.append(package("notify", license="CC0-1.0"))
    packages[0]["features"] = {"default": [], "http": ["dep:serde"]}
    packages[0]["targets"] = [{"kind": ["test"], "name": "it", "src_path": "/w/archy-assistant/tests/it/main.rs"}]
    meta = {
        "workspace_root": "/w",
        "workspace_members": [name for name, _, _ in layout],
        "packages": packages,
        "resolve": {"nodes": [{"id": p["id"], "deps": []} for p in packages]},
    }
    for name, _, uses in layout:
        for other in uses:
            link(meta, name, other)
    link(meta, "cdk", "secp256k1")
    return meta


def find(meta, name):
    return next(p for p in meta["packages"] if p["name"] == name)


def link(meta, name, other):
    path = {"path": "/w"} if other in meta["workspace_members"] else {}
    find(meta, name)["dependencies"].append({"name": other, "kind": None} | path)
    next(n for n in meta["resolve"]["nodes"] if n["id"] == name)["deps"].append({"pkg": other})


def changed(name, **more):
    meta = sound()
    find(meta, name).update(more)
    return meta


def linked(name, other):
    meta = sound()
    link(meta, name, other)
    return meta


def only_declared(name, other):
    meta = sound()
    find(meta, name)["dependencies"].append({"name": other, "kind": "dev"})
    return meta


def readme(text):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "README.md"
        path.write_text(text)
        return sources.test_command(path)


TEXTS = {
    package["manifest_path"].removeprefix("/w/"): "[lints]\nworkspace = true\n"
    for package in graph.members(sound()).values()
} | {"bindings/voice/Cargo.toml": "[lints.rust]\nunsafe_code = 'warn'\n", "Cargo.toml": "[workspace]\n"}

FUZZ = "archy-assistant/fuzz/Cargo.toml"
ALONE = f"[package]\nlicense = '{manifests.LICENCE}'\npublish = false\n[workspace]\n[dependencies]\nlibfuzzer-sys = '0.4'\n"
OTHERS_APART = TEXTS | {f"{folder}/Cargo.toml": ALONE for folder in manifests.APART if f"{folder}/Cargo.toml" != FUZZ}
APART = OTHERS_APART | {FUZZ: ALONE + "archy-assistant.path = '..'\n"}

RUST = {
    "archy-assistant/src/tools/apps.rs": "impl Write for RestartApp {}\n// todo! is a word in a comment\n",
    "archy-assistant/src/fence.rs": "impl io::Write for Fence {}\nimpl std::fmt::Write for Fence {}\n",
    "archy-assistant/tests/it/main.rs": "impl Write for Probe {}\n",
    "examples/node/src/main.rs": "#[expect(dead_code, reason = \"x\")]\n/// ```no_run\nmod commons;\n",
}


def source(text, name="archy-assistant/src/turn.rs"):
    return RUST | {name: text}


GOOD = "# Archy\n\n```sh\n# run\ncargo run -p archy-node\n# test\ncargo test --workspace --locked\n```\n"


def cases():
    """(what, faults found, how many are right, a word that one must say)"""
    meta, direction = sound(), graph.direction
    yield "direction", direction(meta), 0, ""
    yield "library to library", direction(linked("archy-content", "archy-assistant")), 1, "must not depend on"
    yield "library to adapter", direction(linked("archy-assistant", "archy-wire")), 1, "archy-wire (wire)"
    yield "adapter to adapter", direction(linked("archy-mesh", "archy-cashu")), 1, "archy-cashu (adapter)"
    yield "adapter to example", direction(linked("archy-mesh", "archy-node")), 1, "archy-node (example)"
    yield "example to evals", direction(linked("archy-node", "archy-evals")), 1, "archy-evals (eval)"
    yield "binding to library", direction(linked("archy-voice", "archy-content")), 1, "archy-content (library)"
    yield "key below a library", direction(linked("serde", "secp256k1")), 2, "archy-content -> serde -> secp256k1"
    yield "wallet in a library", direction(linked("archy-content", "cdk")), 2, "never reach cdk"
    yield "server in a library's tests", direction(only_declared("archy-assistant", "axum")), 1, "declare axum"
    yield "outside the layout", direction(changed("archy-mesh", manifest_path="/w/mesh/Cargo.toml")), 1, "layout"

    crates = {f"c{n} v1" for n in range(graph.MOST_CORE_CRATES)}
    yield "core count", graph.core_count(crates), 0, ""
    yield "one crate too many", graph.core_count(crates | {"one more v1"}), 1, "has 51"
    yield "an empty tree", graph.core_count(graph.distinct("")), 1, "no crate"
    yield "the tree's marks", sorted(graph.distinct("a v1\nb v2 (proc-macro)\na v1 (*)\n\nb v2 (proc-macro) (*)\n")), 2, "b v2"

    yield "licences", licences.licences(meta), 0, ""
    for fine in ("MIT/Apache-2.0", "GPL-3.0 OR MIT", "(MIT OR GPL-2.0) AND ISC", "Apache-2.0 WITH LLVM-exception"):
        yield fine, licences.licences(changed("serde", license=fine)), 0, ""
    for foul in ("GPL-3.0", "MIT AND GPL-3.0", "MPL-2.0", "Apache-2.0 WITH Classpath-exception-2.0", "MIT OR", "(MIT", None):
        yield str(foul), licences.licences(changed("serde", license=foul)), 1, "serde 1.0.0"
    yield "exception unused", licences.licences(changed("webpki-root-certs", license="MIT")), 1, "nothing needs"
    yield "exception exceeded", licences.licences(changed("webpki-root-certs", license="GPL-3.0")), 2, "GPL-3.0"

    yield "features", manifests.features(meta), 0, ""
    for items in ([], ["http"], ["dep:serde", "serde/derive"]):
        yield f"feature {items}", manifests.features(changed("archy-assistant", features={"x": items})), 1, "feature x"
    yield "default", manifests.features(changed("archy-content", features={"default": ["dep:serde"]})), 1, "stay empty"
    yield "feature names", manifests.feature_names(meta), 1, "http"

    stray = {"kind": ["test"], "name": "chat", "src_path": "/w/archy-mesh/tests/chat.rs"}
    yield "test binaries", manifests.test_binaries(meta), 0, ""
    yield "stray test binary", manifests.test_binaries(changed("archy-mesh", targets=[stray])), 1, "chat"

    yield "manifests", manifests.inherited(meta, TEXTS), 0, ""
    yield "licence", manifests.inherited(changed("archy-mesh", license="MIT"), TEXTS), 1, "not MIT"
    yield "rust-version", manifests.inherited(changed("archy-mesh", rust_version=None), TEXTS), 1, "not None"
    for text in ("", "[lints.rust]\n"):
        yield "own lints", manifests.inherited(meta, TEXTS | {"adapters/mesh/Cargo.toml": text}), 1, "archy-mesh"
    yield "a binding without lints", manifests.inherited(meta, TEXTS | {"bindings/voice/Cargo.toml": ""}), 1, "voice"
    yield "apart", manifests.apart(meta, APART), 0, ""
    yield "apart no more", manifests.apart(meta, OTHERS_APART), 1, "no more"
    yield "a stray manifest", manifests.apart(meta, APART | {"stray/Cargo.toml": ""}), 1, "neither a member"
    for text, word in (("cdk = '1'\n", "on cdk"), ("[dev-dependencies]\n", "alone"), ("[lib]\n", "no library")):
        yield text, manifests.apart(meta, APART | {FUZZ: APART[FUZZ] + text}), 1, word
    for text in ("license = 'MIT OR Apache-2.0'\n", "publish = false\n", "[workspace]\n"):
        yield f"apart without {text}", manifests.apart(meta, APART | {FUZZ: APART[FUZZ].replace(text, "")}), 1, "must say"
    yield "MSRV", manifests.rust_versions(changed("serde", rust_version="1.90.1")), 0, ""
    yield "a newer Rust", manifests.rust_versions(changed("serde", rust_version="1.91")), 1, "1.91"

    yield "words", sources.words(RUST), 0, ""
    for text in ("#[ignore]", "#[ignore = \"slow\"]", "#[cfg_attr(ci, ignore)]", "/// ```rust,ignore", "  //! ```ignore"):
        yield text, sources.words(source(text)), 1, "turn.rs:1: a test"
    yield "todo!", sources.words(source("\ntodo!()")), 1, "turn.rs:2: unfinished"
    yield "unimplemented!", sources.words(source("unimplemented!(\"x\")")), 1, "unfinished"
    for text in ("#[allow(dead_code)]", "#![allow(unused, dead_code, reason = \"x\")]"):
        yield text, sources.words(source(text)), 1, "dead code"
    yield "names", sources.names(RUST), 0, ""
    for word in ("utils", "util", "helpers", "common", "misc", "manager", "prelude"):
        yield word, sources.names(source(f"pub(crate) mod {word};")), 1, "module"
        yield f"{word}.rs", sources.names(source("", f"evals/src/{word}.rs")), 1, word

    yield "any machine", sources.machine(RUST | TEXTS), 0, ""
    for text in ('#[cfg(target_arch = "x86_64")]', "use std::arch::x86_64::*;", '#[target_feature(enable = "avx")]'):
        yield text, sources.machine(source(text)), 1, "any processor"
    for text in ('rustflags = ["-C", "target-cpu=native"]', '"-Ctarget-feature=+aes"'):
        yield text, sources.machine({".cargo/config.toml": text}), 1, "any processor"

    yield "writes", sources.writes(RUST), 0, ""
    yield "the list of writes", [who for _, who in sources.write_tools(RUST)], 1, "RestartApp"
    for text in ("impl Write for Spend {", "impl<H: Host> crate::tool::Write\n    for Spend<H> {", "impl Write<Node> for Spend {"):
        yield text, sources.writes(source(text)), 1, "Spend is a Write tool"

    yield "README", readme(GOOD)[1], 0, ""
    yield "the command", [readme(GOOD)[0]], 1, "cargo test --workspace --locked"
    yield "no command", readme("# Archy\n\n# test\n")[1], 1, "not 0"
    yield "two commands", readme(GOOD + GOOD)[1], 1, "not 2"
    yield "a command that tests nothing", readme(GOOD.replace("cargo test", "true"))[1], 1, "must be cargo's"
    yield "unlocked", readme(GOOD.replace(" --locked", ""))[1], 1, "with --locked"
    yield "release", readme(GOOD.replace("--locked", "--locked --release"))[1], 1, "release"

    yield "cold build", cold.verdict(cold.MOST_CPU_SECONDS), 0, ""
    yield "slow build", cold.verdict(cold.MOST_CPU_SECONDS + 1), 1, "processor time"


def run():
    wrong, count = [], 0
    for what, found, right, word in cases():
        count += 1
        if len(found) != right or (right and not any(word in fault for fault in found)):
            wrong.append(f"{what}: {right} expected with '{word}', found {found}")
    print(f"{count} seeded inputs, {len(wrong)} judged wrongly")
    return wrong
