"""Fetches the audio files that other projects test with, by name and hash, into a folder; nothing of them is committed.

    python3 fetch.py FOLDER

Each package is asked of its own registry by that registry's ordinary client, checked, and unpacked once; where it lies is
printed, a line each. What cannot be had is told in one sentence on standard error, and the exit is 1.
"""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

# registry, name, version, SHA-256 of what it gives, licence
PACKAGES = [
    ("pip", "mutagen", "1.48.1", "8f95637ab9f6f305cec6bd1294e197debe207998e3e068596563c74f86b0a173", "GPL-2.0-or-later"),
    ("pip", "beets", "2.14.1", "b25dc7bf8ed093d8b6e043e88013736902c1082c958b81a598af5db5275539a5", "MIT"),
    ("pip", "stagger", "1.0.0", "a587189ac654dfda469bce753732e534494f009895183ac52ad71b3af20920bc", "BSD"),
    ("apt", "taglib", "1.13", "58f08b4db3dc31ed152c04896ee9172d22052bc7ef12888028c01d8b1d60ade0", "LGPL-2.1 or MPL-1.1"),
    ("cargo", "claxon", "0.4.3", "4bfbf56724aa9eca8afa4fcfadeb479e722935bb2a0900c2d37e0cc477af0688", "Apache-2.0"),
    ("cargo", "hound", "3.5.1", "62adaabb884c94955b19907d60019f4e145d091c75345379e70d1ee696f7854f", "Apache-2.0"),
    ("cargo", "audiotags", "0.5.0", "44e797ce0164cf599c71f2c3849b56301d96a3dc033544588e875686b050ed39", "MIT"),
    ("cargo", "mp3-metadata", "0.4.0", "e462514acb482a039cf915999d6cca0474dfa9d711f040025cf394d54f0f92e4", "MIT"),
    ("cargo", "mp4ameta", "0.11.0", "eb23d62e8eb5299a3f79657c70ea9269eac8f6239a76952689bcd06a74057e81", "MIT or Apache-2.0"),
    ("npm", "mp3-duration", "1.1.0", "9e7e9860c16e3ed7693d64a4b7a9ce0f5b7ef9c43e3fc0af7f543142add4629e", "MIT"),
]


def run(command, folder, what):
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=300)
    except FileNotFoundError:
        sys.exit(f"{what} cannot be fetched: {command[0]} is not installed")
    except subprocess.TimeoutExpired:
        sys.exit(f"{what} cannot be fetched: {command[0]} gave no answer in five minutes")
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        sys.exit(f"{what} cannot be fetched: `{' '.join(command[:4])} …` says: {said[-1] if said else done.returncode}")


def pip(name, version, folder):
    """The source archive. Its build tools are asked for its metadata, which is why they are fetched with it."""
    python = sys.executable
    if subprocess.run([python, "-m", "pip", "--version"], capture_output=True).returncode:
        run([python, "-m", "venv", "venv"], folder, f"{name} (install python3-venv)")
        python = str(folder / "venv/bin/python")
    what = f"{name} {version} of PyPI"
    run([python, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", f"{name}=={version}"], folder, what)
    return next(folder.glob(f"{name}-{version}.tar.*"), None)


def npm(name, version, folder):
    run(["npm", "pack", "--silent", f"{name}@{version}"], folder, f"{name} {version} of npm (install npm)")
    return next(folder.glob("*.tgz"), None)


def cargo(name, version, folder):
    """A package that needs nothing but this one: cargo then leaves what it downloaded in its cache."""
    (folder / "src").mkdir()
    (folder / "src/lib.rs").touch()
    lines = ["[package]", 'name = "corpus"', 'version = "0.0.0"', 'edition = "2021"', "[workspace]", "[dependencies]"]
    (folder / "Cargo.toml").write_text("\n".join([*lines, f'{name} = "={version}"', ""]))
    run(["cargo", "fetch", "--quiet"], folder, f"the crate {name} {version}")
    home = pathlib.Path(os.environ.get("CARGO_HOME") or pathlib.Path.home() / ".cargo")
    return next(home.glob(f"registry/cache/*/{name}-{version}.crate"), None)


def apt(name, version, folder):
    """The original archive of a Debian source package, with lists of sources made from this machine's own lists."""
    lists, sources = folder / "lists", folder / "sources"
    (lists / "partial").mkdir(parents=True)
    sources.mkdir()
    etc = pathlib.Path("/etc/apt")
    for known in [etc / "sources.list", *etc.glob("sources.list.d/*.list"), *etc.glob("sources.list.d/*.sources")]:
        if known.is_file():
            text = re.sub(r"(?m)^Types:.*", "Types: deb-src", known.read_text())
            text = re.sub(r"(?m)^deb(?=[ \t])", "deb-src", text)
            (sources / known.name).write_text(text)
    how = [f"Dir::Etc::sourcelist={os.devnull}", f"Dir::Etc::sourceparts={sources}", f"Dir::State::lists={lists}"]
    options = [part for option in how for part in ("-o", option)]
    what = f"{name} {version} of Debian 12 (this test needs Debian 12, or its archive {name}_{version}.orig.tar.gz)"
    run(["apt-get", "-q", *options, "update"], folder, what)
    run(["apt-get", "-q", *options, "source", "--download-only", name], folder, what)
    return next(folder.glob(f"{name}_{version}.orig.tar.*"), None)


def fetch(registry, name, version, wanted, target):
    """Unpacks a package to `target`. The folder appears only when it is whole."""
    with tempfile.TemporaryDirectory(dir=target.parent, prefix="unfinished-") as work:
        work = pathlib.Path(work)
        work.chmod(0o755)
        archive = {"pip": pip, "npm": npm, "cargo": cargo, "apt": apt}[registry](name, version, work)
        if archive is None:
            sys.exit(f"{name} {version} cannot be fetched: {registry} has another version")
        found = hashlib.sha256(archive.read_bytes()).hexdigest()
        if found != wanted:
            sys.exit(f"{name} {version} is not what it was: its SHA-256 is {found}")
        with tarfile.open(archive) as tar:
            # The hash says what is in it; Python 3.11.3 and older do not know the argument.
            safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
            tar.extractall(work / "unpacked", **safely)
        (inner,) = (work / "unpacked").iterdir()
        shutil.rmtree(target, ignore_errors=True)
        inner.rename(target)


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for registry, name, version, wanted, _ in PACKAGES:
        target = folder / f"{name}-{version}"
        if not target.is_dir():
            fetch(registry, name, version, wanted, target)
        print(target)


if __name__ == "__main__":
    main()
