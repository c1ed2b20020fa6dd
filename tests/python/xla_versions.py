#!/usr/bin/env python3
"""The same programs of jax_programs.py through XLA:CPU of several versions of jaxlib, and what `affirm xla` says of each: docs/versions.md.

  xla_versions.py --affirm build/tools/affirm [--write] [--folder build/xla-versions] [--jobs N] [VERSION ...]

Each version of xla_versions.txt gets an environment of its own in the folder, which stays until what it is made from changes. One whose
Python is not here, or that cannot be installed, is skipped with a line. Without --write the verdicts are held against those of the page; any
that is another one is printed with its reason. A program that is refuted is an error in any case. Exit status: 0 when all are those of the
page, 1 when not, 77 (a skip for ctest) where no version could be had, or the package index is out of reach.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

SOURCES = pathlib.Path(__file__).resolve().parents[2]
PAGE = SOURCES / "docs" / "versions.md"
VERSIONS = pathlib.Path(__file__).with_suffix(".txt")
START, END = "<!-- made by tests/python/xla_versions.py -->\n", "<!-- end -->\n"
USUAL = "0.10.2"  # that of requirements.txt, which the others are compared with
PROGRAMS = ("adam argmax attention cache_update conv cross_entropy dropout_bf16 embedding gelu layer_norm loop max_pool quantize "
            "rms_norm_bf16 rope scatter softmax softmax_grad sort_by_key transpose").split()
SKIPPED = 77


@dataclasses.dataclass(frozen=True)
class Version:
    """A line of xla_versions.txt."""

    name: str
    minors: range  # of Python 3
    packages: list[str]


@dataclasses.dataclass(frozen=True)
class Answer:
    verdict: str
    reasons: list[str]  # of what is not proved, in short


def versions() -> list[Version]:
    found = []
    for line in VERSIONS.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, minors, *packages = line.split()
            first, last = map(int, minors.split("-"))
            found.append(Version(name, range(first, last + 1), packages))
    return found


def minor_of(python: str) -> int:
    """The minor version of a Python 3 that can make environments, or -1."""
    program = "import sys, venv, ensurepip; print(sys.version_info[1])"
    try:
        run = subprocess.run([python, "-c", program], capture_output=True, text=True)
    except OSError:
        return -1
    return int(run.stdout) if run.returncode == 0 else -1


def pythons() -> dict[int, str]:
    """By minor version, those of PATH and of pyenv."""
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv")) / "versions"
    names = [sys.executable, *(f"python3.{minor}" for minor in range(10, 16)), *map(str, sorted(pyenv.glob("3.*/bin/python")))]
    found: dict[int, str] = {}
    for python in filter(None, map(shutil.which, names)):
        found.setdefault(minor_of(python), python)
    return found


def environment(version: Version, known: dict[int, str], folder: pathlib.Path) -> pathlib.Path | None:
    """The Python of the version's environment, made where it is not there. None: it is skipped, and a line says why."""
    home, wanted = folder / version.name, " ".join(version.packages)
    python, mark = home / "bin" / "python", home / "packages.txt"
    if mark.exists() and mark.read_text() == wanted and version.name != "newest":
        return python
    minor = next((minor for minor in version.minors if minor in known), None)
    if minor is None:
        print(f"jaxlib {version.name}: skipped: no Python 3.{version.minors[0]} to 3.{version.minors[-1]} with venv and pip")
        return None
    if not (mark.exists() and mark.read_text() == wanted):
        shutil.rmtree(home, ignore_errors=True)
    made = python.exists() or subprocess.run([known[minor], "-m", "venv", str(home)]).returncode == 0
    install = [str(python), "-m", "pip", "install", "-q", "--upgrade", "--disable-pip-version-check", *version.packages]
    if not made or subprocess.run(install).returncode != 0:
        print(f"jaxlib {version.name}: skipped: {wanted} could not be installed")
        return None
    mark.write_text(wanted)
    return python


def number_of(python: pathlib.Path) -> str:
    program = "import importlib.metadata; print(importlib.metadata.version('jaxlib'))"
    return subprocess.run([str(python), "-c", program], capture_output=True, text=True, check=True).stdout.strip()


def dump(python: pathlib.Path, out: pathlib.Path) -> None:
    """Compiles the programs there. Those that the version refuses have no dump."""
    shutil.rmtree(out, ignore_errors=True)
    command = [str(python), str(SOURCES / "tests" / "python" / "xla_dump.py"), "--out", str(out), "--target", "cpu", *PROGRAMS]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(command)}: status {run.returncode}: {run.stderr[-1000:]}")


def short(reason: str) -> str:
    """A reason without what only one program or one version has in it: files, places, instructions, names."""
    text = re.sub(r"\S*\.(ll|txt):", "", reason.splitlines()[0])
    text = re.sub(r"^(\w+: )?((line |[AB]:)?\d+(:\d+)?:? )?", "", text).replace("error: ", "").replace("unknown: ", "")
    text = re.sub(r"^'[^']*', which has no kernel$", "an instruction that has no kernel", text)
    text = re.sub(r"^\S+, LLVM IR without a kernel$", "LLVM IR without a kernel", text)
    text = re.sub(r"^(no value term for \S+) .*", r"\1", text)
    return re.sub(r": '.*|^(other \w+): .*", r"\1", text).strip(" :")[:90]


def reasons_of(answer: dict) -> list[str]:
    """Of what decides the verdict, each once, the most frequent first."""
    rows = [(row["verdict"], row.get("reason", "")) for row in [*answer["passes"], *answer["kernels"]]]
    rows += [("unknown", text) for module in answer["modules"] for text in [*module["not_covered"], *module.get("faults", [])]]
    found = collections.Counter(short(reason) for verdict, reason in rows if verdict == answer["verdict"] and reason)
    return [reason for reason, _ in found.most_common()]


def ask(affirm: str, folder: pathlib.Path) -> Answer:
    if not folder.is_dir() or (folder / "refused.txt").exists():
        return Answer("refused", ["the compiler refuses the program"])
    run = subprocess.run([affirm, "xla", str(folder), "--json"], capture_output=True, text=True)
    if run.returncode not in (0, 1, 2):
        return Answer("error", [run.stderr.strip().splitlines()[0]])
    answer = json.loads(run.stdout)
    return Answer(answer["verdict"], [] if answer["verdict"] == "proved" else reasons_of(answer))


def table(numbers: dict[str, str], answers: dict[tuple[str, str], Answer]) -> str:
    """The verdicts, and a line for each program of which versions differ."""
    names = list(numbers)
    lines = [f"| program | {' | '.join(numbers[name] for name in names)} |", "|---" * (len(names) + 1) + "|"]
    lines += [f"| {program} | {' | '.join(answers[name, program].verdict for name in names)} |" for program in PROGRAMS]
    differences = []
    for program in PROGRAMS:
        usual = answers[USUAL, program]
        parts: dict[tuple[str, str], list[str]] = {}
        for name in names:
            answer = answers[name, program]
            if answer.verdict != usual.verdict:
                # Where the usual version is the one that is not proved, its reason is the difference.
                what = answer if answer.verdict != "proved" else usual
                text = "; ".join(f"`{reason}`" for reason in what.reasons[:2]) or "no reason"
                kind = f"*{answer.verdict}*" + (f" where {numbers[USUAL]} is *{usual.verdict}*" if what is usual else "")
                parts.setdefault((kind, text), []).append(numbers[name])
        said = [f"{', '.join(where)} {kind}: {text}" for (kind, text), where in parts.items()]
        differences += [f"- `{program}`: {'. '.join(said)}."] if said else []
    return "\n".join(lines) + f"\n\nProgram by program, what makes a verdict differ from that of {numbers[USUAL]}:\n\n" + "\n".join(differences) + "\n"


def verdicts_of(page: str) -> dict[tuple[str, str], str]:
    """By number of jaxlib and program, what the table of the page says."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.split(START)[1].split(END)[0].splitlines()
            if line.startswith("| ")]
    head, *rest = rows
    return {(number, row[0]): verdict for row in rest for number, verdict in zip(head[1:], row[1:])}


def compare(numbers: dict[str, str], answers: dict[tuple[str, str], Answer]) -> int:
    """Prints what is not as the page says; how much it is. A number that the page lacks is a line, and no fault."""
    said, wrong = verdicts_of(PAGE.read_text()), 0
    for name, number in numbers.items():
        if (number, PROGRAMS[0]) not in said:
            print(f"jaxlib {number}: docs/versions.md does not have it yet; --write adds it")
        for program in PROGRAMS:
            answer, expected = answers[name, program], said.get((number, program), "")
            if answer.verdict == "refuted" or expected not in ("", answer.verdict):
                print(f"jaxlib {number}, {program}: {answer.verdict}, on the page {expected or 'nothing'}: {'; '.join(answer.reasons[:3])}")
                wrong += 1
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--affirm", required=True)
    parser.add_argument("--folder", type=pathlib.Path, default=SOURCES / "build" / "xla-versions")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--write", action="store_true", help="write the table of docs/versions.md; takes all versions")
    parser.add_argument("names", nargs="*", metavar="VERSION")
    options = parser.parse_args()
    chosen = [version for version in versions() if not options.names or version.name in options.names]
    known, numbers, answers = pythons(), {}, {}
    options.folder.mkdir(parents=True, exist_ok=True)
    for version in chosen:
        python = environment(version, known, options.folder)
        if python is None:
            continue
        numbers[version.name] = number_of(python)
        dump(python, options.folder / "dumps" / version.name)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for program, answer in zip(PROGRAMS, pool.map(lambda name: ask(options.affirm, options.folder / "dumps" / version.name / name), PROGRAMS)):
                answers[version.name, program] = answer
        print(f"jaxlib {numbers[version.name]}: {dict(collections.Counter(answers[version.name, name].verdict for name in PROGRAMS))}")
    if not numbers:
        return SKIPPED
    if options.write:
        if len(numbers) < len(versions()):
            sys.exit("--write takes all versions")
        before, rest = PAGE.read_text().split(START)
        PAGE.write_text(before + START + table(numbers, answers) + END + rest.split(END)[1])
        return 0
    return 1 if compare(numbers, answers) else 0


if __name__ == "__main__":
    sys.exit(main())
