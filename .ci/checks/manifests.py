"""What each member's manifest must say."""

import tomllib

import graph

LICENCE = "MIT OR Apache-2.0"
MSRV = "1.90"

# Crates that are no members, and all that each may depend on. What they need is in no lock file and under no licence that
# is checked, so nothing may be linked with them that anyone else runs.
APART = {
    # Needs nightly; libFuzzer's C++ is under NCSA.
    "archy-assistant/fuzz": {"archy-assistant", "libfuzzer-sys"},
    "adapters/mesh/fuzz": {"archy-assistant", "archy-mesh", "libfuzzer-sys"},
}


def version(text):
    return tuple(int(part) for part in text.split("-")[0].split("."))[:2]


def features(meta):
    """A library's feature stands for a dependency: it lists `dep:` items and nothing else."""
    faults = []
    for package in graph.members(meta).values():
        if package["name"] not in graph.LIBRARIES:
            continue
        for feature, items in package["features"].items():
            other = [i for i in items if not i.startswith("dep:")]
            if feature == "default":
                if items:
                    faults.append(f"{package['name']}: default features must stay empty, not {items}")
            elif other or not items:
                faults.append(f"{package['name']}: feature {feature} must list dep: items only, not {items}")
    return faults


def feature_names(meta):
    """The core's features, each to be built alone."""
    core = [p for p in graph.members(meta).values() if p["name"] == "archy-assistant"]
    return sorted(f for p in core for f in p["features"] if f != "default")


def test_binaries(meta):
    """One link per crate: its integration tests are modules of tests/it/main.rs."""
    faults = []
    for package in graph.members(meta).values():
        for target in package["targets"]:
            if "test" in target["kind"] and not target["src_path"].endswith("/tests/it/main.rs"):
                faults.append(f"{package['name']}: test binary {target['name']} belongs into tests/it/main.rs")
    return faults


def inherited(meta, texts):
    """Licence, MSRV and lints come from the workspace; a binding's generated code needs lints of its own."""
    faults = []
    for package in graph.members(meta).values():
        name = package["name"]
        if package["license"] != LICENCE:
            faults.append(f"{name}: licence must be {LICENCE}, not {package['license']}")
        if package["rust_version"] != MSRV:
            faults.append(f"{name}: rust-version must be {MSRV}, not {package['rust_version']}")
        folder = graph.folder_of(meta, package)
        manifest = tomllib.loads(texts.get(f"{folder}/Cargo.toml", ""))
        wanted = manifest.get("lints", {}) if graph.kind(folder) == "binding" else {"workspace": True}
        if not wanted or manifest.get("lints") != wanted:
            faults.append(f"{name}: [lints] must say workspace = true")
    return faults


def apart(meta, texts):
    """Every manifest is the root's, a member's, or that of a crate that stands apart, on which nothing can depend."""
    faults = []
    members = {graph.folder_of(meta, p) for p in graph.members(meta).values()}
    for name, text in sorted(texts.items()):
        folder = name.removesuffix("Cargo.toml").rstrip("/")
        if folder == "" or folder in members:
            continue
        if folder not in APART:
            faults.append(f"{name}: neither a member of the workspace nor a crate that stands apart")
            continue
        manifest = tomllib.loads(text)
        tables = [key for key in manifest if key.endswith("dependencies") or key in ("target", "patch", "lib")]
        if tables != ["dependencies"]:
            faults.append(f"{name}: [dependencies] alone, and no library, not {tables}")
        for other in sorted(manifest.get("dependencies", {}).keys() - APART[folder]):
            faults.append(f"{name}: must not depend on {other}")
        package = manifest["package"]
        if package.get("license") != LICENCE or package.get("publish") is not False or "workspace" not in manifest:
            faults.append(f"{name}: must say license = {LICENCE}, publish = false and [workspace]")
    return faults + [f"{folder}: stands apart no more" for folder in sorted(APART) if f"{folder}/Cargo.toml" not in texts]


def rust_versions(meta):
    """No dependency that says it needs a newer Rust than we promise."""
    return [
        f"{p['name']} {p['version']} needs Rust {p['rust_version']}, newer than {MSRV}"
        for p in meta["packages"]
        if p["rust_version"] and version(p["rust_version"]) > version(MSRV)
    ]
