#!/usr/bin/env python3
"""The table of passes in docs/dialect.md, as affirm-opt has them: writes it, or with --check says that it is out of date.

The order is that of `--affirm-tensor-pipeline`, and what each pass does is its own description in `--help`.
"""
import argparse
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "dialect.md"
START, END = "| step | pass | does |\n|---|---|---|\n", "\n\n"


def run(program, *options):
    answer = subprocess.run([program, *options], input="module {}", capture_output=True, text=True, check=True)
    return answer.stdout + answer.stderr


def table(program):
    printed = run(program, "--affirm-tensor-pipeline", "--dump-pass-pipeline")
    steps = re.findall(r"^  ([a-z][a-z-]*)", printed[printed.index("builtin.module("):], re.M)
    steps = [name for name in steps if name != "affirm-read-exact"]  # what affirm-opt does to any text first
    does = dict(re.findall(r"^ +--([a-z-]+) +- +(.*)$", run(program, "--help"), re.M))
    others = [name for name in does if name.startswith("affirm-") and name not in (*steps, "affirm-tensor-pipeline")]
    places = {name: [str(k + 1) for k, step in enumerate(steps) if step == name] for name in [*steps, *others]}
    return [f"| {', '.join(at)} | `{name}` | {does[name]} |" for name, at in places.items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", metavar="AFFIRM_OPT")
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 where the page is out of date")
    options = parser.parse_args()
    page = PAGE.read_text()
    before, rest = page.split(START)
    wanted = before + START + "\n".join(table(options.program)) + rest[rest.index(END):]
    if options.check:
        if page != wanted:
            sys.exit(f"{PAGE} has not the passes of {options.program}: run {__file__} {options.program}")
    else:
        PAGE.write_text(wanted)


if __name__ == "__main__":
    main()
