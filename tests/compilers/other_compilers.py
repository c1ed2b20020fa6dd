#!/usr/bin/env python3
"""Compiles all headers, but those of the module of Python, which need its packages, and the sources that a compiler once refused,
with the compilers that the build does not use.

The compilers are those of Debian 12 and 13 and clang; one that is absent is named and left out, and so is the build's own,
which has compiled everything. Flags are the build's, and every warning is an error. Besides, on whatever machine, nothing
stands in the sources that g++ 14 alone has refused: references bound to what an accessor gives of a temporary attribute
or type, which it takes for dangling, and operators between MLIR's ranges, which C++20 makes ambiguous.
"""

import argparse
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

SOURCES = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(SOURCES / "cmake"))
import compile_commands  # noqa: E402

COMPILERS = ("g++-12", "g++-14", "clang++-22")
LAYERS = ("core/symbolic", "core/indexing", "core/simplify", "core/hlo", "core/analysis", "verify", "emit", "fuzz", "driver", "tools")
ONCE_REFUSED = ("emit/ir/apply_indexing.cc", "emit/ir/loop.cc", "emit/ir/memory_ops.cc", "emit/transforms/peel_loops.cc",
                "emit/transforms/unswitch_loops.cc", "emit/transforms/atomic_update.cc", "emit/transforms/lower_tensors.cc", "emit/elements/scalar_types.cc")
# An accessor of what an accessor or a cast gives: `op.getMap().getMap()`, `cast<T>(type).getY()`.
OF_TEMPORARY = r"(\bget\w*\(\)|\b(dyn_)?cast<[^;]*>\([^;()]*\))\.get\w*\("
REFUSED = {
    "a reference to a part of a temporary": re.compile(r"&&?\s+\w+\s*=\s*[^;]*" + OF_TEMPORARY),
    "a loop over a part of a temporary": re.compile(r"\bfor \([^;]* : [^;]*\bget\w*Type\(\)\.get\w*\("),
    "ranges of MLIR compared by an operator, which is ambiguous in C++20: use llvm::equal": re.compile(
        r"\bTypeRange\(.*\) [!=]= |\bget(Operands|Results|Arguments|\w*Types)\(\)\s*[!=]=|[!=]= [\w.>()-]*\bget(Operands|Results|\w*Types)\(\)"),
}


def run(command, **options):
    return subprocess.run(command, text=True, capture_output=True, check=False, **options)


def refused_by_newer_compilers():
    """Places with what only newer compilers refuse."""
    places = []
    for path in sorted(p for layer in ("core", "verify", "emit", "fuzz", "driver", "tools") for p in (SOURCES / layer).rglob("*")):
        if path.suffix not in (".cc", ".h"):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            places += [f"{path.relative_to(SOURCES)}:{number}: {what}: {line.strip()}"
                       for what, pattern in REFUSED.items() if pattern.search(line)]
    return places


def flags_of(build, source):
    """The build's flags for a source, without those that only its own compiler knows."""
    for entry in compile_commands.entries(build):
        if entry["file"] != str(SOURCES / source):
            continue
        words = shlex.split(entry["command"])
        return [w for w in words if w.startswith(("-I", "-O", "-D", "-std", "-Wall", "-Wextra"))] + [
            f"-isystem{words[i + 1]}" for i, w in enumerate(words) if w == "-isystem"]
    sys.exit(f"other_compilers: {build} does not compile {source}")


def units(folder):
    """What is compiled: a source that includes all headers of a layer, for each, and the sources that were refused."""
    for layer in LAYERS:
        unit = folder / f"{layer.replace('/', '_')}.cc"
        headers = sorted(h.relative_to(SOURCES) for h in (SOURCES / layer).rglob("*.h") if not h.name.endswith(".pch.h") and h.parent.name != "python")
        unit.write_text("".join(f'#include "{h}"\n' for h in headers))
        yield unit
    yield from (SOURCES / s for s in ONCE_REFUSED)


def compile_all(compiler, flags, folder):
    """The messages of a compiler; none when everything compiles."""
    # As cmake/AffirmSettings.cmake has it.
    quiet = ["-Wno-deprecated-declarations"] if "clang" in compiler else ["-Wno-maybe-uninitialized"]
    launcher = [shutil.which("ccache")] if shutil.which("ccache") else []

    def compile_one(unit):
        done = run([*launcher, compiler, *flags, "-Werror", *quiet, "-c", unit, "-o", folder / f"{unit.stem}.o"])
        return done.stderr if done.returncode != 0 else ""

    with ThreadPoolExecutor(2) as pool:
        return [m for m in pool.map(compile_one, list(units(folder))) if m]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--built", type=pathlib.Path, required=True, help="the build folder")
    parser.add_argument("--compiler", default="", help="the build's own compiler")
    arguments = parser.parse_args()
    own = run([arguments.compiler, "--version"]).stdout if arguments.compiler else ""
    wrong = refused_by_newer_compilers()
    flags = flags_of(arguments.built, ONCE_REFUSED[0])
    # In the build folder, so that ccache knows the units again.
    folder = arguments.built / "tests" / "compilers" / "units"
    folder.mkdir(parents=True, exist_ok=True)
    for compiler in COMPILERS:
        if not shutil.which(compiler):
            print(f"{compiler}: absent, left out")
        elif run([compiler, "--version"]).stdout.split("\n")[0].split(" ", 1)[1:] == own.split("\n")[0].split(" ", 1)[1:]:
            print(f"{compiler}: the build's own")
        else:
            messages = compile_all(compiler, flags, folder)
            print(f"{compiler}: {'refuses something' if messages else 'compiles all headers'}", flush=True)
            wrong += messages
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
