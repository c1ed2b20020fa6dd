#!/usr/bin/env python3
"""Holds docs/spec-coverage.md against the sources: status 1 where a row names a file, or a test, that is not there.

The second column of a table names files or folders in backquotes, the third one tests: `Suite.Name` of a C++ test, a
file of tests/opt, or a ctest of its own.
"""
import pathlib
import re
import sys

SOURCES = pathlib.Path(__file__).resolve().parents[2]
PAGE = SOURCES / "docs" / "spec-coverage.md"
TEST = re.compile(r"^\s*(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\(\s*(\w+),\s*(\w+)", re.M)


def tests():
    names = set()
    for path in (SOURCES / "tests").rglob("*.cc"):
        names |= {f"{suite}.{name}" for suite, name in TEST.findall(path.read_text())}
    for path in (SOURCES / "tests").rglob("CMakeLists.txt"):
        names |= set(re.findall(r"add_test\(NAME (\w+)", path.read_text()))
        names |= set(re.findall(r"affirm_test\((\w+)", path.read_text()))
    return names


def problems():
    known = tests()
    for number, line in enumerate(PAGE.read_text().splitlines(), 1):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("| ") or len(cells) != 3 or cells[0] == "feature":
            continue
        where, shown = (re.findall(r"`([^`]+)`", cell) for cell in cells[1:])
        if not where or not shown:
            yield f"{number}: a row needs a place and a test"
        yield from (f"{number}: there is no {path}" for path in where if not (SOURCES / path).exists())
        yield from (f"{number}: there is no test {test}" for test in shown
                    if test not in known and not (SOURCES / "tests" / "opt" / test).exists())


found = list(problems())
for problem in found:
    print(f"{PAGE}:{problem}")
sys.exit(1 if found else 0)
