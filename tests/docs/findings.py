#!/usr/bin/env python3
"""The faults of XLA that affirm has found: writes docs/findings.md from the files of corpus/xla, or with --check says
that the page is out of date.

The comments of a file are its finding. The first line names the place, and the element with both values:

  // kernel wrapped_divide: the divisor is not specified
  // pass algsimp: element 2 of the result is 0 before and -1 after, of x = 0
  // XLA's compiler ends with a floating point exception

The lines that follow explain it, and the last one is the command that shows it again.
"""
import argparse
import collections
import pathlib
import re
import sys

SOURCES = pathlib.Path(__file__).resolve().parents[2]
CORPUS = SOURCES / "corpus" / "xla"
PAGE = SOURCES / "docs" / "findings.md"
Finding = collections.namedtuple("Finding", "name kind place wrong text replay")

KINDS = {  # in the order of the page
    "value": ("Wrong values", "A pass, a kernel or a copy computes other values than the module before it."),
    "memory": ("Memory, races and undefined behavior", "A kernel reads or writes outside of a buffer, reads what another "
               "thread writes, leaves elements unwritten, or divides by uninitialized memory. Where no wrong result was seen, the "
               "finding says so."),
    "open": ("Open results", "HLO leaves the result open, and the step changes it: affirm answers *unknown*."),
    "compiler": ("The compiler ends", "The compiler aborts or crashes on a valid module."),
}


def read(path):
    comments = [line.removeprefix("//").strip() for line in path.read_text().splitlines() if line.startswith("//")]
    first, *rest = comments
    if not rest or not rest[-1].startswith("replay: "):
        raise SystemExit(f"{path.relative_to(SOURCES)}: the last line of its comment is no replay line")
    place = re.match(r"(?:open )?(pass|kernel|copy) (\S+): ", first)
    if place is None:
        if "compiler" not in first:
            raise SystemExit(f"{path.relative_to(SOURCES)}: the first line names no pass, kernel, copy or compiler")
        kind = "compiler"
    elif first.startswith("open "):
        kind = "open"
    else:
        kind = "memory" if re.match(r"(bounds|races|writes): |the divisor", first[place.end():]) else "value"
    return Finding(path.stem, kind, f"{place.group(1)} `{place.group(2)}`" if place else "",
                   first[place.end():] if place else first, " ".join(rest[:-1]), rest[-1].removeprefix("replay: "))


def versions(finding):
    """The versions of jaxlib that the finding names, but for those that have it right."""
    text = re.sub(r"jaxlib ([\d.]+\d) has it right", "", finding.text)
    return sorted(set(re.findall(r"\b0\.\d+\.\d+\b", text)), key=lambda v: [int(n) for n in v.split(".")])


def backends(finding):
    gpu, cpu = "platform gpu" in finding.replay, "platform cpu" in finding.replay
    both = re.search(r"On CPU and GPU|on CPU and GPU|On the CPU too|XLA's compilers abort", finding.text + finding.wrong)
    return "CPU, GPU" if both else "GPU" if gpu else "CPU" if cpu else ""


def device(finding):
    return ", ".join(sorted(set(re.findall(r"\b[HA]\d00\b", re.sub(r"[^.]*has it right[^.]*", "", finding.text)))))


def mended(finding):
    return ", ".join(re.findall(r"jaxlib ([\d.]+\d) has it right", finding.text))


def reports(finding):
    found = re.findall(r"\b((?:openxla|jax-ml|tensorflow)/\w+)#(\d+)", finding.text)
    return ", ".join(f"[{name}#{number}](https://github.com/{name}/issues/{number})" for name, number in found)


def page(findings):
    counts = collections.Counter(f.kind for f in findings)
    lines = [
        "# Faults found in XLA", "",
        "<!-- Made from corpus/xla by tests/docs/findings.py. -->", "",
        f"affirm has found {len(findings)} distinct faults in XLA's compilers. Each is reduced to a module of a few lines in "
        "`corpus/xla`. The test `python_xla_corpus` compiles each one again with the installed jaxlib and checks that affirm "
        "names the same pass, kernel or copy.", "",
        "*Versions* are those of jaxlib in which the fault was seen, *device* is the one on which wrong values were seen, "
        "and *right in* is a later version that has it right.", ""]
    for kind, (title, about) in KINDS.items():
        lines += [f"## {title}", "", about, "", "| finding | place | backend | versions | device | right in | report |",
                  "|---|---|---|---|---|---|---|"]
        chosen = [f for f in findings if f.kind == kind]
        lines += [f"| [{f.name}](#{f.name}) | {f.place} | {backends(f)} | {', '.join(versions(f))} | {device(f)} | {mended(f)} | {reports(f)} |"
                  for f in chosen]
        lines += [""]
        for f in chosen:
            lines += [f"### {f.name}", "", f"{f.place + ': ' if f.place else ''}{f.wrong}.", "", f.text, ""]
            lines += ["```sh", f.replay.replace(" && ", "\n"), "```", ""]
    assert sum(counts.values()) == len(findings)
    return "\n".join(lines).rstrip() + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="exit with 1 where the page is out of date")
    findings = [read(path) for path in sorted(CORPUS.glob("*.hlo"))]
    text = page(findings)
    if not parser.parse_args().check:
        PAGE.write_text(text)
        return 0
    if f"[{len(findings)} faults in XLA]" not in (SOURCES / "README.md").read_text():
        print(f"README.md says another number of faults than {len(findings)}")
        return 1
    if PAGE.exists() and PAGE.read_text() == text:
        return 0
    print("docs/findings.md is out of date: run tests/docs/findings.py")
    return 1


if __name__ == "__main__":
    sys.exit(main())
