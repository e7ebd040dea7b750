"""The rules that neither the compiler nor clippy can keep. `.ci/run` calls this; so may you: `python3 -B .ci/checks`.

Every rule is a function from data to a list of sentences, one per fault. `--selftest` shows each a fault.
"""

import json
import subprocess
import sys
from pathlib import Path

import cold
import graph
import licences
import manifests
import selftest
import sources

ROOT = Path(__file__).resolve().parents[2]


def output(*command):
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def metadata():
    return json.loads(output("cargo", "metadata", "--locked", "--all-features", "--format-version", "1"))


def tracked(*patterns):
    names = output("git", "ls-files", "-z", "--", *patterns).split("\0")
    return {n: (ROOT / n).read_text(encoding="utf-8") for n in names if n and (ROOT / n).is_file()}


def all_checks():
    meta = metadata()
    core = graph.distinct(output(*graph.CORE_TREE))
    texts = tracked("*.rs", "*.toml", ".cargo/*")
    rust = {n: t for n, t in texts.items() if n.endswith(".rs")}
    cargo = {n: t for n, t in texts.items() if n.endswith("Cargo.toml")}
    print(f"{len(meta['workspace_members'])} members, {len(meta['packages'])} packages, {len(rust)} source files")
    print(f"the core without features: {len(core)} crates, at most {graph.MOST_CORE_CRATES}")
    print("writes:", ", ".join(f"{who} ({where})" for where, who in sources.write_tools(rust)) or "none")
    return [
        *graph.direction(meta),
        *graph.core_count(core),
        *licences.licences(meta),
        *manifests.features(meta),
        *manifests.test_binaries(meta),
        *manifests.inherited(meta, cargo),
        *manifests.apart(meta, cargo),
        *manifests.rust_versions(meta),
        *sources.words(rust),
        *sources.names(rust),
        *sources.machine(texts),
        *sources.writes(rust),
    ]


def main(argument):
    match argument:
        case "--selftest":
            faults = selftest.run()
        case "--test-command":
            command, faults = sources.test_command(ROOT / "README.md")
            print(*faults or [command], sep="\n")
            return bool(faults)
        case "--features":
            print(*manifests.feature_names(metadata()), sep="\n")
            return 0
        case "--cold-build":
            faults = cold.measure(ROOT)
        case "":
            faults = all_checks()
        case _:
            faults = [f"unknown: {argument}"]
    for fault in faults:
        print("-", fault)
    return bool(faults)


sys.exit(main("".join(sys.argv[1:])))
