#!/usr/bin/env python3
"""Makes the site of docs/ as `./dev site` does, and holds that each page is in its navigation and each link leads somewhere."""
import os
import pathlib
import subprocess
import sys

SOURCES = pathlib.Path(__file__).resolve().parents[2]


def main():
    tool, folder = sys.argv[1:]
    mkdocs = SOURCES / ".venv" / "bin" / "mkdocs"
    if not mkdocs.exists():
        print("skipped: .venv has no MkDocs (./dev test installs it)")
        return 77
    made = subprocess.run([mkdocs, "build", "--strict", "--site-dir", folder], cwd=SOURCES, text=True,
                          env=os.environ | {"AFFIRM": tool}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    found = [line for line in made.stdout.splitlines() if line.startswith("WARNING")]
    # A page that no navigation leads to is a remark only for MkDocs.
    found += [line.strip() for line in made.stdout.splitlines() if line.startswith("  - ") and line.endswith(".md")]
    if made.returncode or found:
        print(made.stdout)
        return 1
    pages = sorted(pathlib.Path(folder).rglob("*.html"))
    print(f"{len(pages)} pages")
    return 0 if len(pages) > 25 else 1


if __name__ == "__main__":
    sys.exit(main())
