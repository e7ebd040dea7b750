"""Rules on the text of the sources, where no type and no lint can keep them."""

import re

VAGUE = r"(?:utils?|helpers?|common|misc|managers?|prelude)"

# Where a `Write` tool may live, beside tests, examples and evaluations. A new place is a decision, made here.
WRITES_LIVE_IN = (
    *("archy-assistant/src/tools/", "archy-assistant/examples/", "archy-assistant/benches/"),
    *("examples/", "evals/"),
)

WORDS = {
    "a test that is ignored shows nothing: delete it, or make it run": re.compile(
        r"#!?\[\s*(?:ignore\b|cfg_attr\([^\]]*\bignore\b)|^\s*//[/!]\s*```\S*\bignore\b"
    ),
    "unfinished code does not land": re.compile(r"\b(?:todo|unimplemented)!"),
    "dead code goes away": re.compile(r"\ballow\([^)]*\bdead_code\b"),
}

# Home nodes are ARM as often as not, and of any age.
MACHINE = re.compile(
    r'target_arch\s*=\s*"x86|\btarget_feature\b|target-(?:cpu|feature)\b'
    r"|\barch::x86|is_x86_feature_detected"
)

WRITE = re.compile(r"\bimpl\s*(?:<[^{;]*?>)?\s+((?:\w+::)*)Write(?:<[^{;]*?>)?\s+for\s+([\w:]+)")


def code(text):
    """The lines with numbers, without those that are only a comment (doc examples stay)."""
    for number, line in enumerate(text.splitlines(), 1):
        if not re.match(r"\s*//(?![/!])", line):
            yield number, line


def words(rust):
    return [
        f"{name}:{number}: {why}"
        for name, text in sorted(rust.items())
        for number, line in code(text)
        for why, pattern in WORDS.items()
        if pattern.search(line)
    ]


def names(rust):
    """No file, folder or module that is named for nothing."""
    faults = []
    for name, text in sorted(rust.items()):
        if any(re.fullmatch(VAGUE, part) for part in name.removesuffix(".rs").split("/")):
            faults.append(f"{name}: name it for its one idea")
        for number, line in code(text):
            if re.search(rf"\bmod\s+{VAGUE}\b", line):
                faults.append(f"{name}:{number}: name the module for its one idea")
    return faults


def machine(texts):
    """Nothing assumes x86, or a processor's extras."""
    return [
        f"{name}:{number}: must build for any processor"
        for name, text in sorted(texts.items())
        for number, line in code(text)
        if MACHINE.search(line)
    ]


def write_tools(rust):
    """Every type with `impl Write for` outside tests, as (file, type): all that can change a node.

    The traits of `std` are written `io::Write` and `fmt::Write`, so that they are not taken for ours.
    """
    found = []
    for name, text in sorted(rust.items()):
        if "tests" in name.removesuffix(".rs").split("/"):
            continue
        lines = "\n".join(line for _, line in code(text) if not re.match(r"\s*//", line))
        for path, who in WRITE.findall(lines):
            if not re.search(r"\b(?:io|fmt)::$", path):
                found.append((name, who))
    return found


def writes(rust):
    return [
        f"{name}: {who} is a Write tool outside {', '.join(WRITES_LIVE_IN)} (the trait of std: `io::Write`, `fmt::Write`)"
        for name, who in write_tools(rust)
        if not name.startswith(WRITES_LIVE_IN)
    ]


def test_command(readme):
    """The command below `# test` in a code block of the README, and faults."""
    text = readme.read_text(encoding="utf-8") if readme.is_file() else ""
    found = re.findall(r"^```(?:sh|bash|console)?\n(?:(?!```).*\n)*?# test\n((?:[^#`\n].*\n)+)", text, re.MULTILINE)
    if len(found) != 1:
        return "", [f"README.md must have one code block with the line '# test' and the command below it, not {len(found)}"]
    command = found[0].strip()
    if not re.match(r"cargo (?:\w+ )?test\b|cargo nextest\b", command) or "--locked" not in command:
        return "", [f"the README's test command must be cargo's, with --locked, not: {command}"]
    if "--release" in command:
        return "", ["the README's test command must not make a release build"]
    return command, []
