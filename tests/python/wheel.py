#!/usr/bin/env python3
"""`pip wheel .` makes a wheel that works in an environment that has nothing else.

  wheel.py BUILD                    what ./dev test runs
  wheel.py --self-contained FOLDER  what ./dev nightly runs; FOLDER keeps the build and the environments

The first wheel has the libraries of BUILD (-DAFFIRM_TREE), so that a minute does instead of a whole build; all else is as in
any `pip wheel .`: the configuration of pyproject.toml, the compilation of the module, its stubs, the entry points. NumPy is not there:
what needs no array works without.

The second form is that of a user: one wheel for each Python from 3.11 to 3.13 that is here, below 90 MB, whose module loads no library
of this machine but those of a bare one. It runs the tests of python/ and `python -m affirm.jax`. Status 77 (a skip for ctest): none of
these Pythons is here.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile

from xla_versions import pythons

SOURCES = pathlib.Path(__file__).resolve().parents[2]
REQUIREMENTS = SOURCES / "tests/python/requirements.txt"
SOFTMAX = SOURCES / "corpus/hlo/softmax.hlo"
FILES = ["affirm/__init__.py", "affirm/_native.pyi", "affirm/py.typed", "affirm/pytest_plugin.py", "affirm/strategies.py"]
MOST_BYTES = 90_000_000
SKIPPED = 77
# The libraries that the profile manylinux (PEP 600) allows, and that every system has.
HOST_LIBRARIES = {"libc", "libm", "libdl", "librt", "libpthread", "libstdc++", "libgcc_s", "libz", "ld-linux-x86-64", "linux-vdso"}
BARE = {"PATH": "/usr/bin:/bin", "HOME": str(pathlib.Path.home())}
PROGRAM = """
import importlib.metadata, pathlib, sys
import affirm
assert pathlib.Path(affirm.__file__).is_relative_to(sys.prefix), affirm.__file__
a = affirm.IndexingMap("(d0) -> (d0 mod 4), domain: d0 in [0, 7]")
assert a.prove_equal(affirm.IndexingMap("(d0) -> (d0), domain: d0 in [0, 7]")).counterexample["dims"] == [4]
module = affirm.Module.from_text("HloModule m\\nENTRY e {\\n p = f32[2,3] parameter(0)\\n ROOT t = f32[3,2] transpose(p), dimensions={1,0}\\n}")
report = module.check()
assert report.verdict == "affirmed", report
try:
    module.run([])
except ImportError as error:
    assert error.name in ("numpy", "ml_dtypes"), error
except affirm.Error as error:
    assert "argument" in str(error), error
assert [point.value for point in importlib.metadata.entry_points(group="pytest11") if point.name == "affirm"] == ["affirm.pytest_plugin"]
from affirm.tool import find_affirm
print(find_affirm())
"""


def fail(what):
    sys.exit(f"wheel.py: {what}")


def run(*command, status=0, **options):
    done = subprocess.run([str(part) for part in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    if done.returncode != status:
        fail(f"{' '.join(map(str, command))}: status {done.returncode}, expected {status}\n{done.stdout}")
    return done.stdout


def make_wheel(python, folder, *options):
    """The path of the one wheel that `pip wheel .` makes; `folder` has no other."""
    run(python, "-m", "pip", "wheel", SOURCES, "--no-deps", "--disable-pip-version-check", "--wheel-dir", folder, *options)
    (wheel,) = folder.glob("affirm-*.whl")
    return wheel


def check_files(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    if missing := [name for name in FILES if name not in names]:
        fail(f"{wheel.name} lacks {missing}")
    if not any(name.startswith("affirm/_native.") and name.endswith(".so") for name in names):
        fail(f"{wheel.name} lacks the module")
    return names


def check_tool(program, folder):
    """The entry point does what the program of a build does: exit statuses, output as it comes, signals."""
    if not run(program, "--version", env=BARE).startswith("affirm "):
        fail(f"{program} --version names no version")
    run(program, "check", SOFTMAX, env=BARE)
    run(program, "equiv", "(d0) -> (d0), domain: d0 in [0, 7]", "(d0) -> (d0 mod 4), domain: d0 in [0, 7]", status=1, env=BARE)
    run(program, "check", "--jobs", "2", SOFTMAX, SOFTMAX, "--accept", "executed", env=BARE)
    if not run(program, "check", os.fsdecode(b"\xff.hlo"), status=3, env=BARE, errors="surrogateescape").startswith("\udcff.hlo:1:1: error: "):
        fail("the name of a file that is no UTF-8 comes out as another one")
    # It answers a line before the next one comes, and SIGINT ends it without a word of Python.
    with subprocess.Popen([program, "equiv", "--jsonl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=BARE,
                          text=True) as answering:
        answering.stdin.write(json.dumps({"id": 7, "lhs": "(d0) -> (d0), domain: d0 in [0, 7]", "rhs": "(d0) -> (d0), domain: d0 in [0, 7]"}) + "\n")
        answering.stdin.flush()
        answer = json.loads(answering.stdout.readline())
        answering.send_signal(signal.SIGINT)
        try:
            status = answering.wait(60)
        except subprocess.TimeoutExpired:
            answering.kill()
            fail("equiv --jsonl: SIGINT does not end it")
        if (answer["verdict"], status, answering.stderr.read()) != ("equal", -signal.SIGINT, ""):
            fail(f"equiv --jsonl: {answer}, status {status}")
    # The reading end of the pipe is closed.
    read, write = os.pipe()
    os.close(read)
    run_to_nobody = subprocess.run([program, "manual"], stdout=write, stderr=subprocess.PIPE, env=BARE)
    os.close(write)
    if (run_to_nobody.returncode, run_to_nobody.stderr) != (-signal.SIGPIPE, b""):
        fail(f"manual, to nobody: status {run_to_nobody.returncode}, {run_to_nobody.stderr}")
    # A ledger knows the module by its file, not Python by its own.
    ledger = folder / "ledger.jsonl"
    ledger.unlink(missing_ok=True)
    for _ in range(2):
        run(program, "check", SOFTMAX, "--ledger", ledger, env=BARE)
    (module,) = program.parent.parent.glob("lib/python*/site-packages/affirm/_native.*.so")
    copy = module.with_suffix(".kept")
    shutil.copy2(module, copy)
    module.unlink()
    module.write_bytes(copy.read_bytes() + b"\0")
    said = run(program, "check", SOFTMAX, "--ledger", ledger, status=3, env=BARE)
    copy.replace(module)
    if "another build of affirm" not in said:
        fail(f"a ledger of another build: {said}")


def check_environment(wheel, folder, python, *install):
    """Installs the wheel into a new environment; returns the environment's Python."""
    shutil.rmtree(folder, ignore_errors=True)
    run(python, "-m", "venv", folder)
    python = folder / "bin" / "python"
    run(python, "-m", "pip", "install", "--disable-pip-version-check", *install)
    program = pathlib.Path(run(python, "-I", "-c", PROGRAM, cwd=folder, env=BARE).strip())
    if program.parent != python.parent:
        fail(f"{program} is not the tool of the wheel")
    check_tool(program, folder)
    return python


def check_self_contained(wheel, folder, python):
    names = check_files(wheel)
    if "manylinux" not in wheel.name or wheel.stat().st_size > MOST_BYTES:
        fail(f"{wheel.name}, {wheel.stat().st_size} bytes: expected the tag of auditwheel, and at most {MOST_BYTES} bytes")
    licences = [name for name in names if name.endswith(".copyright")]
    for library in [name for name in names if name.startswith("affirm.libs/lib")]:
        stem = re.match(r"affirm\.libs/(lib[a-z]+\d?)", library)[1]  # libz3-1a2b3c4d.so.4
        if not any(stem in name for name in licences):
            fail(f"{wheel.name} has {library}, and no licence of it")
    python = check_environment(wheel, folder, python, f"{wheel}[jax,h100,test]", "--constraint", REQUIREMENTS)
    (module,) = folder.glob("lib/python*/site-packages/affirm/_native.*.so")
    for name, path in re.findall(r"^\t(\S+?)(?:\.so\S*)? (?:=> (\S+) )?\(", run("ldd", module, env=BARE), re.M):
        if name.rpartition("/")[2] not in HOST_LIBRARIES and not pathlib.Path(path).resolve().is_relative_to(folder):
            fail(f"{wheel.name} loads {name} of this machine: {path}")
    said = run(python, "-m", "affirm.jax", "jax.nn:softmax", "--args", "f32[8,100]", cwd=folder, env=BARE)
    if ": proved" not in said.splitlines()[0]:
        fail(f"softmax: {said}")
    tests = run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "python", cwd=SOURCES, env=BARE | {"PYTHONDONTWRITEBYTECODE": "1"})
    print(f"{wheel.name}: {len(names)} files, {wheel.stat().st_size / 1e6:.1f} MB;",
          next(line for line in tests.splitlines() if " passed" in line), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", nargs="?", type=pathlib.Path)
    parser.add_argument("--self-contained", metavar="FOLDER", type=pathlib.Path)
    options = parser.parse_args()
    if options.self_contained:
        folder = options.self_contained.resolve()
        chosen = {minor: python for minor, python in pythons().items() if minor in (11, 12, 13)}
        for minor, python in sorted(chosen.items()):
            shutil.rmtree(folder / "wheel", ignore_errors=True)
            wheel = make_wheel(python, folder / "wheel", "--config-settings", f"build-dir={folder}/build")
            check_self_contained(wheel, folder / f"python3.{minor}", python)
        sys.exit(0 if chosen else SKIPPED)
    build = options.build.resolve()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        wheel = make_wheel(sys.executable, folder, "--no-build-isolation", "--config-settings", f"cmake.define.AFFIRM_TREE={build}",
                           "--config-settings", f"build-dir={build}/wheel")
        names = check_files(wheel)
        check_environment(wheel, folder / "env", sys.executable, "--no-deps", "--no-index", wheel)
        print(f"{wheel.name}: {len(names)} files, {wheel.stat().st_size >> 10} KiB")


if __name__ == "__main__":
    main()
