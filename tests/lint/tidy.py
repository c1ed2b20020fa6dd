"""Runs clang-tidy over the sources of the libraries and the tool, as .clang-tidy says.

tidy.py BUILD reads BUILD/compile_commands.json. Sources that the build compiles as one group are looked at as one group:
what they include, which is most of the work, is read once. What clang-tidy has nothing to say of is remembered in
BUILD/tidy and looked at again when the build has compiled it again, or .clang-tidy has changed. Tests and benchmarks are
left to `./dev lint`, which looks at each changed file.

Status 0: clang-tidy has nothing to say.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

SOURCES = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = ("core", "verify", "emit", "fuzz", "driver", "tools")
# Groups include sources; and a precompiled header of another compiler is read as the header that it is.
OF_GROUPS = ["--checks=-bugprone-suspicious-include", "--extra-arg=-Wno-ignored-gch"]


def entries(build):
    """What the build compiles of the folders: (source or group, object file). A precompiled header is no source."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(entry["file"])
        below = source.relative_to(build if source.is_relative_to(build) else SOURCES)
        if below.parts[0] in FOLDERS and not source.name.startswith("cmake_pch."):
            written = re.search(r" -o (\S+)", entry["command"])
            yield source, build / written.group(1)


def tidy(build, source, written):
    """What clang-tidy says of a source, or nothing."""
    stamp = build / "tidy" / source.relative_to(build if source.is_relative_to(build) else SOURCES)
    since = [written, SOURCES / ".clang-tidy", pathlib.Path(__file__)]
    if stamp.is_file() and all(file.is_file() and stamp.stat().st_mtime > file.stat().st_mtime for file in since):
        return ""
    done = subprocess.run(["clang-tidy-22", "--quiet", "-p", build, *OF_GROUPS, source], text=True, capture_output=True)
    if done.returncode != 0:
        return done.stdout or done.stderr
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.touch()
    return ""


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    todo = dict(entries(build)).items()  # some sources are in several programs
    if not todo:
        sys.exit(f"tidy: {build}/compile_commands.json names no source")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = 0
        for text in filter(None, pool.map(lambda entry: tidy(build, *entry), todo)):
            print(text, flush=True)
            found += 1
    print(f"{len(todo)} sources and groups of sources, {found} with something to mend")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
