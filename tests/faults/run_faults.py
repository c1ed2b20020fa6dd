#!/usr/bin/env python3
"""Builds affirm with one fault at a time and lets its fuzzer look for it.

Each patch of this folder is a fault: a line of what goes wrong, then the change. For each, affirm is built from a copy
of the sources with the patch applied, and `affirm fuzz hlo` runs in two processes until one has a finding and has
reduced it. The table says how long that took, from the start of the fuzzer to the reduced file, and how many lines the
file has, comments, blank lines and closing braces aside. Status 0: each fault was found and has at most ten lines.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import time

FAULTS = pathlib.Path(__file__).resolve().parent
SOURCES = FAULTS.parent.parent
MAX_LINES = 10
PROCESSES = 2


def run(command, **options):
    return subprocess.run(command, text=True, capture_output=True, **options)


def copy_sources(to):
    """Copies the sources, leaving alone what has not changed, so that little is built again."""
    names = run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=SOURCES, check=True)
    for name in names.stdout.splitlines():
        source, target = SOURCES / name, to / name
        if not source.is_file():
            continue
        if target.is_file() and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)


def applies(patch):
    return run(["patch", "-p1", "--forward", "--dry-run", "-i", patch], cwd=SOURCES).returncode == 0


def build(folder):
    done = run(["ninja", "-C", folder, "affirm"])
    if done.returncode != 0:
        sys.exit(f"faults: the build failed\n{done.stdout[-3000:]}")
    return folder / "tools" / "affirm"


def hunt(affirm, found, seconds):
    """Fuzzes until something is found and reduced; the seconds that took and the file, or None."""
    shutil.rmtree(found, ignore_errors=True)
    start = time.monotonic()
    command = [affirm, "fuzz", "hlo", "--seed", "1", "--runs", "1000000", "--max-findings", "1",
               "--max-time", str(seconds), "--out", found]
    running = [subprocess.Popen([*command, "--shard", f"{k}/{PROCESSES}"], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, start_new_session=True) for k in range(PROCESSES)]
    status = {}
    while len(status) < PROCESSES and 1 not in status.values():
        time.sleep(0.1)
        status = {p.pid: p.returncode for p in running if p.poll() is not None}
    took = time.monotonic() - start
    for process in running:
        if process.poll() is None:
            os.killpg(process.pid, 9)
            process.wait()
    files = sorted(found.glob("*.hlo"), key=lambda f: f.stat().st_mtime) if found.is_dir() else []
    return (took, files[0]) if files else (took, None)


def lines_of(file):
    """Lines that say something: no comments, no blank lines, no closing braces."""
    lines = [line.strip() for line in file.read_text().splitlines()]
    return sum(1 for line in lines if line not in ("", "}") and not line.startswith("//"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="faults to look for (default: all)")
    parser.add_argument("--work", type=pathlib.Path, default=SOURCES / "build-faults", help="folder to work in")
    parser.add_argument("--seconds", type=int, default=120, help="for the fuzzer to find a fault")
    parser.add_argument("--check", action="store_true", help="only see that every patch applies")
    arguments = parser.parse_args()
    patches = sorted(FAULTS.glob("*.patch"))
    if arguments.names:
        patches = [p for p in patches if p.stem in arguments.names]
    if arguments.check:
        stale = [p.stem for p in patches if not applies(p)]
        print(f"{len(patches)} patches" + "".join(f"\n{name} does not apply" for name in stale))
        return 1 if stale else 0

    source = arguments.work.resolve() / "source"
    folder = source / "build"
    # With ccache, what another build of the same sources compiled is not compiled again.
    os.environ.update(CCACHE_BASEDIR=str(source), CCACHE_NOHASHDIR="1")
    copy_sources(source)
    if not (folder / "build.ninja").is_file():
        run(["cmake", "-G", "Ninja", "-S", source, "-B", folder], check=True)
    build(folder)
    print(f"{'fault':<36} {'seconds':>7} {'lines':>5}  what goes wrong", flush=True)
    missed = 0
    for patch in patches:
        why = patch.read_text().splitlines()[0]
        applied = run(["patch", "-p1", "--forward", "--silent", "-i", patch], cwd=source)
        if applied.returncode != 0:
            sys.exit(f"faults: {patch.name} does not apply\n{applied.stdout}")
        try:
            took, file = hunt(build(folder), arguments.work / "found" / patch.stem, arguments.seconds)
        finally:
            run(["patch", "-p1", "--reverse", "--silent", "-i", patch], cwd=source, check=True)
        lines = lines_of(file) if file else None
        missed += lines is None or lines > MAX_LINES
        print(f"{patch.stem:<36} {took:7.1f} {lines if lines else '-':>5}  {why}", flush=True)
    print(f"{len(patches)} faults, {len(patches) - missed} found within {arguments.seconds} s and reduced to "
          f"{MAX_LINES} lines or fewer")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
