"""No source file of the libraries and the tools has more than 450 lines.

A longer file holds more than one subject: move one of them into a file of its own, named after it. Lists of rules
(*.rules) and proofs (*.v) are no source files. Functions are held to 80 lines by clang-tidy (.clang-tidy, the test
`tidy`).

Status 0: no file is too long.
"""

import pathlib
import sys

SOURCES = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = ("core", "verify", "emit", "fuzz", "driver", "tools")
SUFFIXES = (".cc", ".h", ".def", ".td", ".js", ".css", ".html", ".py")
MOST_LINES = 450


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
        if lines > MOST_LINES
    ]
    print("\n".join(failures) or f"{len(lengths)} source files")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
