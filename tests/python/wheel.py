#!/usr/bin/env python3
"""`pip wheel .` makes a wheel, and that works in an environment that has nothing else.

  wheel.py BUILD

The wheel has the libraries of BUILD (-DAFFIRM_TREE), so that a minute does instead of a whole build; all else is what anybody's
`pip wheel .` does: the configuration of pyproject.toml, the compilation of the module, its stubs, what is put where. NumPy is not
there: what needs no array works without.
"""

import pathlib
import subprocess
import sys
import tempfile
import zipfile

SOURCES = pathlib.Path(__file__).resolve().parents[2]
FILES = ["affirm/__init__.py", "affirm/_native.pyi", "affirm/py.typed", "affirm/pytest_plugin.py", "affirm/strategies.py"]
PROGRAM = """
import importlib.metadata, pathlib, sys
import affirm
assert pathlib.Path(affirm.__file__).is_relative_to(sys.prefix), affirm.__file__
a = affirm.IndexingMap("(d0) -> (d0 mod 4), domain: d0 in [0, 7]")
assert a.prove_equal(affirm.IndexingMap("(d0) -> (d0), domain: d0 in [0, 7]")).counterexample["dims"] == [4]
module = affirm.Module.from_text("HloModule m\\nENTRY e {\\n p = f32[2,3] parameter(0)\\n ROOT t = f32[3,2] transpose(p), dimensions={1,0}\\n}")
assert module.check().verdict == "affirmed"
try:
    module.run([])
except ImportError as error:
    assert error.name in ("numpy", "ml_dtypes"), error
assert [point.value for point in importlib.metadata.entry_points(group="pytest11") if point.name == "affirm"] == ["affirm.pytest_plugin"]
from affirm.tool import find_affirm
print(find_affirm())
"""


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}")
    return done.stdout


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        run(sys.executable, "-m", "pip", "wheel", SOURCES, "--no-deps", "--no-build-isolation", "--disable-pip-version-check",
            "--wheel-dir", folder, "--config-settings", f"cmake.define.AFFIRM_TREE={build}",
            "--config-settings", f"build-dir={build}/wheel")
        (wheel,) = folder.glob("affirm-*.whl")
        names = zipfile.ZipFile(wheel).namelist()
        if missing := [name for name in FILES if name not in names]:
            sys.exit(f"{wheel.name} lacks {missing}")
        if not any(name.startswith("affirm/_native.") and name.endswith(".so") for name in names):
            sys.exit(f"{wheel.name} lacks the module")
        run(sys.executable, "-m", "venv", folder / "env")
        python = folder / "env" / "bin" / "python"
        run(python, "-m", "pip", "install", "--no-deps", "--no-index", "--disable-pip-version-check", wheel)
        program = run(python, "-I", "-c", PROGRAM, cwd=folder).strip()
        said = run(program, "--version")
        if pathlib.Path(program).parent != python.parent or not said.startswith("affirm "):
            sys.exit(f"{program} is not the tool of the wheel: {said}")
        print(f"{wheel.name}: {len(names)} files, {wheel.stat().st_size >> 10} KiB")


if __name__ == "__main__":
    main()
