#!/usr/bin/env python3
"""The table of layers in docs/architecture.md: writes it, or with --check says that it is out of date.

Layers, their order and their purposes are those of tests/tools/test_layers.cc; dependencies are the `#include`s of their
sources. A row leaves out a dependency that another one of the row depends on itself, directly or not.

--check   write nothing; status 1 where the page is out of date
--all     print each layer with all layers that it includes
"""
import argparse
import pathlib
import re
import sys

SOURCES = pathlib.Path(__file__).resolve().parents[2]
PAGE = SOURCES / "docs" / "architecture.md"
LIST = SOURCES / "tests" / "tools" / "test_layers.cc"
START, END = "<!-- layers -->\n", "<!-- end -->"


class Error(Exception):
    """What is wrong with the list of layers."""


def read_layers(text):
    """{layer: purpose} from the text of test_layers.cc, from the top down."""
    found = re.search(r"kLayers = \{\n(.*?)^\};", text, re.M | re.S)
    if not found:
        raise Error(f"{LIST}: no list kLayers")
    layers = {}
    for line in found[1].splitlines():
        entry = re.fullmatch(r'\s*"([^"]+)",(?:\s*// *(.*))?', line)
        if not entry:
            raise Error(f"{LIST}: expected one layer and its purpose in a line, found {line.strip()!r}")
        layer, purpose = entry[1], (entry[2] or "").strip()
        if not purpose:
            raise Error(f"{LIST}: {layer} has no purpose: write it as a comment behind the name")
        layers[layer] = purpose
    return layers


def layer_of(path, layers):
    """The longest layer that a path lies in, or None."""
    return max((layer for layer in layers if path.startswith(layer + "/")), key=len, default=None)


def direct_dependencies(layers, files):
    """{layer: the layers that its files include}, where files is {path: text}."""
    direct = {layer: set() for layer in layers}
    seen = set()
    for path, text in files.items():
        layer = layer_of(path, layers)
        if layer is None:
            continue
        seen.add(layer)
        headers = re.findall(r'^[ \t]*#include\s*["<]([^">]+)[">]', text, re.M)
        direct[layer] |= {layer_of(header, layers) for header in headers} - {None, layer}
    for layer in layers:
        if layer not in seen:
            raise Error(f"{LIST}: no source lies in {layer}")
    return direct


def nearest(layers, direct):
    """{layer: its direct dependencies without those of another one, in the order of layers}."""
    reached, result = {}, {}
    for layer in layers:  # from the top down: what a layer depends on comes before it
        below = {other: reached.get(other, set()) for other in direct[layer]}
        reached[layer] = direct[layer].union(*below.values())
        implied = set().union(*below.values())
        result[layer] = [other for other in layers if other in direct[layer] - implied]
    return result


def table(layers, shown):
    """The rows of the page; a pipe in a purpose would end its cell."""
    rows = ["| layer | purpose | includes |", "|---|---|---|"]
    for layer, purpose in layers.items():
        includes = ", ".join(f"`{other}`" for other in shown[layer])
        rows.append(f"| `{layer}` | {purpose.replace('|', chr(92) + '|')} | {includes} |".replace("  |", " |"))
    return "\n".join(rows) + "\n"


def source_files():
    """{path: text} of the files that test_layers.cc reads."""
    return {str(path.relative_to(SOURCES)): path.read_text()
            for top in ("core", "verify", "emit", "fuzz", "driver", "tools")
            for path in sorted((SOURCES / top).rglob("*")) if path.suffix in (".h", ".cc")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    try:
        layers = read_layers(LIST.read_text())
        direct = direct_dependencies(layers, source_files())
    except Error as error:
        sys.exit(str(error))
    if options.all:
        for layer in layers:
            print(f"{layer}: {' '.join(other for other in layers if other in direct[layer])}")
        return
    page = PAGE.read_text()
    before, rest = page.split(START, 1)
    wanted = before + START + table(layers, nearest(layers, direct)) + rest[rest.index(END):]
    if not options.check:
        PAGE.write_text(wanted)
    elif page != wanted:
        sys.exit(f"{PAGE} has not the layers of {LIST}: run {__file__}")


if __name__ == "__main__":
    main()
