#!/usr/bin/env python3
"""Mutation tests: builds affirm with one fault at a time and sees whether it is found.

Each patch of this folder is a fault: a line of what goes wrong, for some a line `found by: TEST [options]`, a blank
line, then the change. For each, a copy of the sources is built with the patch applied.

A fault that names a test is found when that test, run from the folder of the sources with those options, fails. The
test must pass without the fault, so nothing is found by a test that always fails.

Any other fault is looked for by `affirm fuzz hlo`, which runs in two processes until one has a finding and has reduced
it. The table says how long that took, from the start of the fuzzer to the reduced file, and how many lines the file
has, comments, blank lines and closing braces aside.

A fault in an emitter or a pass says with `shows in: MODULE CLAIM ...` in which module of corpus/hlo it makes a wrong
kernel, and which claims about that kernel's LLVM IR (docs/kernels.md) a proof may then not cover. With --proofs each of
these faults is built and judged by the two tests of the module in test_corpus_proofs: by the proof alone, and by runs
alone. It is found by proof where a claim stays open, and no run refutes one that is proved, unless the claim before it
that it rests on (`bounds`) is open and refuted; else by execution only.

Status 0: each fault was found, and what the fuzzer found has at most ten lines, or as many as a line `takes lines: N,
why` of the patch says.
"""

import argparse
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

FAULTS = pathlib.Path(__file__).resolve().parent
SOURCES = FAULTS.parent.parent
MAX_LINES = 10
TAKES = "takes lines:"  # for a fault that no module of ten lines can show: how many, and why
PROCESSES = 2
TEST_SECONDS = 600
FOUND_BY = "found by:"
SHOWS_IN = "shows in:"  # for a fault in an emitter or a pass: a module, and the claims that a proof leaves open
PROOFS = "test_corpus_proofs"


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


class Fault:
    """One patch, and who finds it: `test` is the command's words, empty where the fuzzer does."""

    def __init__(self, patch):
        self.patch, self.name = patch, patch.stem
        head = patch.read_text().split("\n\n", 1)[0].splitlines()
        self.why = head[0]
        found_by = [line for line in head[1:] if line.startswith(FOUND_BY)]
        takes = [line.removeprefix(TAKES).split(",") for line in head[1:] if line.startswith(TAKES)]
        self.max_lines = int(takes[0][0]) if takes else MAX_LINES
        shows_in = [line.removeprefix(SHOWS_IN).split() for line in head[1:] if line.startswith(SHOWS_IN)]
        if len(head) - 1 != len(found_by) + len(takes) + len(shows_in) or len(head) - len(shows_in) > 2:
            sys.exit(f"faults: {patch.name}: only a line `{FOUND_BY}` or `{TAKES}`, and one `{SHOWS_IN}`, may stand "
                     "between the first line and a blank one")
        self.module, *self.claims = shows_in[0] if shows_in else [""]
        self.test = found_by[0].removeprefix(FOUND_BY).split() if found_by else []
        if found_by and not self.test:
            sys.exit(f"faults: {patch.name}: `{FOUND_BY}` names no test")

    def applies(self):
        return run(["patch", "-p1", "--forward", "--dry-run", "-i", self.patch], cwd=SOURCES).returncode == 0


def program_of(folder, test):
    """The program of a test in a build folder, or None."""
    return next((p for p in (folder / "tests").glob(f"*/{test}") if p.is_file()), None)


def names_tests(folder, fault):
    """Whether the test of a fault, as built in the folder, has what the fault's options choose."""
    program = program_of(folder, fault.test[0])
    if not program:
        return False
    listed = run([program, "--gtest_list_tests", *fault.test[1:]], cwd=SOURCES)
    return any(line.startswith("  ") for line in listed.stdout.splitlines())


def check(faults, folder):
    """Status 0: every patch applies, and every named test is there (where a build folder is given)."""
    wrong = [f"{f.name} does not apply" for f in faults if not f.applies()]
    if folder:
        wrong += [f"{f.name}: there is no `{' '.join(f.test)}`" for f in faults if f.test and not names_tests(folder, f)]
    print("\n".join([f"{len(faults)} patches", *wrong]))
    return 1 if wrong else 0


def build(folder, targets):
    done = run(["ninja", "-C", folder, *targets])
    if done.returncode != 0:
        sys.exit(f"faults: the build failed\n{done.stdout[-3000:]}")


def fails(folder, test):
    """Runs a test; the seconds that took, and whether it failed. One that does not end has not found anything."""
    start = time.monotonic()
    command = [program_of(folder, test[0]), "--gtest_brief=1", *test[1:]]
    try:
        status = run(command, cwd=folder.parent, timeout=TEST_SECONDS).returncode
    except subprocess.TimeoutExpired:
        status = 0
    return time.monotonic() - start, status != 0


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


def look_for(fault, folder, found, seconds):
    """Builds and looks for a fault that is applied; the seconds, whether it was found, and how."""
    if fault.test:
        build(folder, fault.test[:1])
        took, failed = fails(folder, fault.test)
        return took, failed, fault.test[0]
    build(folder, ["affirm"])
    took, file = hunt(folder / "tools" / "affirm", found, seconds)
    lines = lines_of(file) if file else None
    return took, bool(file) and lines <= fault.max_lines and took <= seconds, f"fuzz, {lines} lines" if file else "fuzz"


def claims_of(folder, suite, module, what):
    """The claims that a test of a module says are open, or refuted."""
    listed = run([program_of(folder, PROOFS), f"--gtest_filter=*/{suite}.*/{module}"], cwd=folder.parent)
    if listed.returncode not in (0, 1) or f"/{module}" not in listed.stdout:
        sys.exit(f"faults: {PROOFS} has no {module}, or dies: {listed.stdout[-500:]}{listed.stderr[-500:]}")
    return sorted(set(re.findall(rf"^{what}: (\w+)", listed.stdout, re.MULTILINE)))


def judge(fault, folder):
    """What the proof leaves open of a fault that is applied, and what runs refute; and by what it is found."""
    build(folder, [PROOFS])
    still_open = claims_of(folder, "CorpusProofs", fault.module, "open")
    refuted = claims_of(folder, "CorpusRuns", fault.module, "refuted")
    wrongly_proved = set(refuted) - set(still_open)
    if still_open and (not wrongly_proved or "bounds" in set(still_open) & set(refuted)):
        return still_open, refuted, "proof"
    return still_open, refuted, "execution only" if refuted else "NOTHING"


def judge_all(faults, source, folder):
    """The table of --proofs. Status 0: every fault is found by proof, in the claims that its patch names."""
    copy_sources(source)
    if not (folder / "build.ninja").is_file():
        run(["cmake", "-G", "Ninja", "-S", source, "-B", folder], check=True)
    print(f"{'fault':<34} {'module':<26} {'found by':<15} {'not proved':<44} refuted by runs", flush=True)
    missed = 0
    for fault in faults:
        with applied(fault, source):
            still_open, refuted, by = judge(fault, folder)
        found = by == "proof" and still_open == sorted(fault.claims)
        missed += not found
        note = "" if found or by != "proof" else f"   (the patch says {' '.join(fault.claims)})"
        print(f"{fault.name:<34} {fault.module:<26} {by:<15} {' '.join(still_open):<44} {' '.join(refuted)}{note}",
              flush=True)
    print(f"{len(faults)} faults in emitters and passes, {len(faults) - missed} found by proof, as they say")
    return 1 if missed else 0


@contextlib.contextmanager
def applied(fault, source):
    """With the patch in the copy of the sources."""
    done = run(["patch", "-p1", "--forward", "--silent", "-i", fault.patch], cwd=source)
    if done.returncode != 0:
        sys.exit(f"faults: {fault.patch.name} does not apply\n{done.stdout}")
    try:
        yield
    finally:
        run(["patch", "-p1", "--reverse", "--silent", "-i", fault.patch], cwd=source, check=True)


def prepare(source, folder, faults):
    """Copies the sources, builds what looks for the faults, and sees that the named tests pass as things are."""
    # With ccache, what another build of the same sources compiled is not compiled again.
    os.environ.update(CCACHE_BASEDIR=str(source), CCACHE_NOHASHDIR="1")
    # The same random cases as in `./dev test`.
    os.environ.setdefault("RC_PARAMS", "seed=1")
    copy_sources(source)
    if not (folder / "build.ninja").is_file():
        # The flags of `./dev test`, for the same reason.
        run(["cmake", "-G", "Ninja", "-S", source, "-B", folder], check=True)
    build(folder, sorted({f.test[0] if f.test else "affirm" for f in faults}))
    for fault in faults:
        if fault.test and not names_tests(folder, fault):
            sys.exit(f"faults: {fault.name}: there is no `{' '.join(fault.test)}`")
    for test in sorted({tuple(f.test) for f in faults if f.test}):
        if fails(folder, test)[1]:
            sys.exit(f"faults: `{' '.join(test)}` fails without any fault")


def chosen(arguments):
    """The faults that the command line asks for."""
    faults = [Fault(p) for p in sorted(FAULTS.glob("*.patch"))]
    unknown = set(arguments.names) - {f.name for f in faults}
    if unknown:
        sys.exit(f"faults: there is no {', '.join(sorted(unknown))}")
    return [f for f in faults if (not arguments.names or f.name in arguments.names)
            and (f.test or not arguments.only_tests) and not (f.test and arguments.only_fuzz)
            and (f.module or not arguments.proofs)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="faults to look for (default: all)")
    parser.add_argument("--only-tests", action="store_true", help="only the faults that a named test finds")
    parser.add_argument("--only-fuzz", action="store_true", help="only the faults that the fuzzer finds")
    parser.add_argument("--work", type=pathlib.Path, default=SOURCES / "build-faults", help="folder to work in")
    parser.add_argument("--seconds", type=int, default=120, help="for the fuzzer to find a fault")
    parser.add_argument("--check", action="store_true", help="only see that every patch applies")
    parser.add_argument("--built", type=pathlib.Path, help="with --check: a build folder, which has the named tests")
    parser.add_argument("--proofs", action="store_true", help="which faults in emitters and passes a proof finds")
    arguments = parser.parse_args()
    faults = chosen(arguments)
    if arguments.check:
        return check(faults, arguments.built)

    source = arguments.work.resolve() / "source"
    folder = source / "build"
    if arguments.proofs:
        # With ccache, what another build of the same sources compiled is not compiled again.
        os.environ.update(CCACHE_BASEDIR=str(source), CCACHE_NOHASHDIR="1")
        return judge_all(faults, source, folder)
    prepare(source, folder, faults)
    print(f"{'fault':<40} {'seconds':>7}  {'found by':<28} what goes wrong", flush=True)
    missed = 0
    for fault in faults:
        with applied(fault, source):
            took, found, how = look_for(fault, folder, arguments.work / "found" / fault.name, arguments.seconds)
        missed += not found
        print(f"{fault.name:<40} {took:7.1f}  {how if found else f'MISSED ({how})':<28} {fault.why}", flush=True)
    print(f"{len(faults)} faults, {len(faults) - missed} found: by a test that names them, or by the fuzzer within "
          f"{arguments.seconds} s and reduced to {MAX_LINES} lines, or as few as it takes")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
