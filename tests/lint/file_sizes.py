"""No source file of the libraries and the tools has more than 450 lines.

A longer file holds more than one subject: move one of them into a file of its own, named after it. Lists of rules
(*.rules) and proofs (*.v) are no source files. Functions are held to 80 lines by clang-tidy (.clang-tidy, the test
`tidy`).

Status 0: no file is too long, but for those in TOO_LONG, and each file in TOO_LONG still is too long.
"""

import pathlib
import sys

SOURCES = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = ("core", "verify", "emit", "fuzz", "driver", "tools")
SUFFIXES = (".cc", ".h", ".def", ".td", ".js", ".css", ".html", ".py")
MOST_LINES = 450

# Files that are longer, each with the reason. Add none; a file that has become short enough leaves this list.
TOO_LONG = (
    # One loop that dispatches codes: families of codes in functions of their own would cost a call for each code.
    "verify/kernel/emulator/run_thread.cc",
)


def main():
    lengths = {
        path.relative_to(SOURCES).as_posix(): path.read_bytes().count(b"\n")
        for folder in FOLDERS
        for path in sorted((SOURCES / folder).rglob("*"))
        if path.suffix in SUFFIXES
    }
    if not lengths:
        sys.exit(f"file_sizes: no source file below {SOURCES}")
    failures = [
        f"{name}: {lines} lines, at most {MOST_LINES} are allowed: move one of its subjects into a file of its own"
        for name, lines in lengths.items()
        if lines > MOST_LINES and name not in TOO_LONG
    ]
    failures += [
        f"{name}: at most {MOST_LINES} lines, or gone: take it out of TOO_LONG in tests/lint/file_sizes.py"
        for name in TOO_LONG
        if lengths.get(name, 0) <= MOST_LINES
    ]
    print("\n".join(failures) or f"{len(lengths)} source files, {len(TOO_LONG)} of them too long")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
