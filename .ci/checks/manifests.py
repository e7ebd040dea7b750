"""What each member's manifest must say."""

import tomllib

import graph

LICENCE = "MIT OR Apache-2.0"
MSRV = "1.90"


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


def rust_versions(meta):
    """No dependency that says it needs a newer Rust than we promise."""
    return [
        f"{p['name']} {p['version']} needs Rust {p['rust_version']}, newer than {MSRV}"
        for p in meta["packages"]
        if p["rust_version"] and version(p["rust_version"]) > version(MSRV)
    ]
