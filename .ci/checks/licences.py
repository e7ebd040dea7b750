"""What may be linked, tested with or built with: crates under licences that ask for no more than a notice."""

import re

ALLOWED = {
    *("MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause"),
    *("ISC", "Zlib", "0BSD", "Unicode-3.0", "Unicode-DFS-2016"),
}

# One crate, one licence more, and why. An entry that nothing needs is a fault.
EXCEPTIONS = {
    # Mozilla's list of root certificates: data, under a permissive data licence; only linked on Android.
    "webpki-root-certs": "CDLA-Permissive-2.0",
    # Given to everybody without conditions; nothing else watches folders on every system.
    "notify": "CC0-1.0",
}


def allowed(expression, more=()):
    """Whether an SPDX expression (or the old form with slashes) can be met by allowed licences alone."""
    tokens = re.findall(r"[()]|[\w.+-]+", expression.replace("/", " OR "))
    position = 0

    def take():
        nonlocal position
        position += 1
        return tokens[position - 1] if position <= len(tokens) else ""

    def peek():
        return tokens[position] if position < len(tokens) else ""

    def one():
        token = take()
        if token == "(":
            inside = either()
            return take() == ")" and inside
        if peek() == "WITH":
            take()
            token = f"{token} WITH {take()}"
        return token in ALLOWED or token in more

    def both():
        met = one()
        while peek() == "AND":
            take()
            met = one() and met
        return met

    def either():
        met = both()
        while peek() == "OR":
            take()
            met = both() or met
        return met

    return either() and position == len(tokens)


def licences(meta):
    faults, unused = [], set(EXCEPTIONS)
    for package in meta["packages"]:
        name, licence = package["name"], package["license"]
        if licence and allowed(licence):
            continue
        if licence and name in EXCEPTIONS and allowed(licence, {EXCEPTIONS[name]}):
            unused.discard(name)
            continue
        faults.append(f"{name} {package['version']}: licence {licence or 'not declared'} is not on the list")
    return faults + [f"nothing needs the licence exception for {name}" for name in sorted(unused)]
