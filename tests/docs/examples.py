#!/usr/bin/env python3
"""The sessions in README.md and docs/ print what they show: runs them, or with --write puts in what they print now.

A session is a fenced block that is marked as `console`: commands after `$ `, which may go on behind a `\\` and have a text
that ends with `END`, each with what it prints. They run one after the other in a folder in which there is corpus/.
`python` is that of .venv, and `./dev jax` is what it runs when everything is built; pages that use it are skipped where it has no JAX. How long something took may differ; a line `...` stands for any number of lines, and `...` in a line for any text.
"""
import argparse
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCES = pathlib.Path(__file__).resolve().parents[2]
SESSION = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.M | re.S)
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*<<'END'.*\n(?:.*\n)*?END\n|(?:.*\\\n)*.*\n)", re.M)
TIME = re.compile(r"\b\d+(\.\d+)? (ms|s)\b|(?<=\"ms\":)\d+(\.\d+)?")
PYTHON = SOURCES / ".venv" / "bin"
DEV = """#!/bin/sh
[ "$1" = jax ] && shift && PYTHONPATH={sources}/python:$PWD PYTHONDONTWRITEBYTECODE=1 exec python -m affirm.jax "$@"
"""


def printed(command, programs, folder):
    """What a command prints, errors among it."""
    path = os.pathsep.join([*programs, os.environ["PATH"]])
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=os.environ | {"PATH": path}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    return done.stdout


def is_shown(shown, real):
    """Whether lines are those shown, up to times and to what `...` leaves out."""
    wanted = re.escape(TIME.sub("TIME", shown))
    wanted = re.sub(r"^\\\.\\\.\\\.\\\n", r"(?:.*\n)*?", wanted, flags=re.M).replace(r"\.\.\.", ".*")
    return re.fullmatch(wanted, TIME.sub("TIME", real)) is not None


def differences(page, programs, folder, new_text):
    """Says where sessions of a page are out of date; new_text gets (shown, real) of these."""
    for session in SESSION.finditer(page.read_text()):
        command, *rest = COMMAND.split(session.group())[1:]
        for command, shown in zip([command, *rest[1::2]], rest[::2]):
            real = printed(command, programs, folder)
            if is_shown(shown, real):
                continue
            new_text.append((f"$ {command}{shown}", f"$ {command}{real}"))
            yield f"{page.relative_to(SOURCES)}: $ {command}" + "".join(
                difflib.unified_diff(shown.splitlines(True), real.splitlines(True), "shown", "printed"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="the folder of the build")
    parser.add_argument("--write", action="store_true", help="put in what is printed now")
    options = parser.parse_args()
    programs = [str(options.build.resolve() / folder) for folder in ("tools", "tests/oracle")] + [str(PYTHON)]
    jax = (PYTHON / "python").exists() and subprocess.run([PYTHON / "python", "-c", "import jax"], capture_output=True).returncode == 0
    found = 0
    for page in [SOURCES / "README.md", *sorted((SOURCES / "docs").rglob("*.md"))]:
        if not jax and re.search(r"^\$.*(\bpython |\./dev jax )", "".join(SESSION.findall(page.read_text())), re.M):
            print(f"{page.relative_to(SOURCES)} is skipped: .venv has no JAX (./dev test installs it)")
            continue
        new_text = []
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "corpus").symlink_to(SOURCES / "corpus")
            dev = pathlib.Path(folder) / "dev"
            dev.write_text(DEV.format(sources=SOURCES))
            dev.chmod(0o755)
            for difference in differences(page, programs, folder, new_text):
                found += 1
                if not options.write:
                    print(difference)
        if options.write and new_text:
            text = page.read_text()
            for shown, real in new_text:
                text = text.replace(shown, real, 1)
            page.write_text(text)
    if found and not options.write:
        sys.exit(f"{found} commands print something else: run {__file__} {options.build} --write, and read what changed")


if __name__ == "__main__":
    main()
