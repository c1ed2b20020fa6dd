"""The program `affirm`: where it is, and what it says of a dump."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Sequence

from affirm.errors import Error
from affirm.result import Result

_BAD_INPUT = 3

# Nothing could be checked; the text says why.
AffirmError = Error


def find_affirm(given: str | os.PathLike | None = None) -> str:
    """The path of the program: what is given, else the environment variable AFFIRM, else `affirm` of PATH, else that of the wheel.

    AffirmError: there is none, or what was named is no program.
    """
    named = os.fspath(given) if given else os.environ.get("AFFIRM", "")
    found = shutil.which(named or "affirm")
    if found is None and not named:
        found = shutil.which("affirm", path=sysconfig.get_path("scripts"))  # PATH need not have those of a virtual environment
    if found is None:
        raise AffirmError(f"{named} is no program" if named else
                          "no program `affirm`: name it by the argument `affirm`, the environment variable AFFIRM, or PATH")
    return found


def check_dump(folder: str | os.PathLike, affirm: str | os.PathLike | None = None, passes: bool = True, module: str = "",
               target: str = "", assume: Sequence[str] = (), run: str = "", source: str = "") -> Result:
    """What `affirm xla` says of a dump, of all its modules or of one; `passes` false: of its kernels alone.

    assume: patterns of what is taken on trust where it is not covered, "__cublas$gemm". run: a command of the shell that runs the compiled
    program (affirm.xla_run). source: a file of HLO or StableHLO that the compiler was given, to be compared with the first HLO of the dump;
    where affirm cannot read it, as with operations that HLO lacks, `import_not_compared` of the result says why.

    AffirmError: the folder holds no dump, or the program could not be run.

        >>> affirm.check_dump("/tmp/dump").verdict
        'unknown'
    """
    command = [find_affirm(affirm), "xla", os.fspath(folder), "--json", "--jobs", str(os.cpu_count() or 1)]
    command += ["--kernels"] * (not passes) + (["--module", module] if module else [])
    command += [word for glob in assume for word in ("--assume", glob)] + (["--run", run] if run else [])
    done = subprocess.run([*command, "--source", source] if source else command, capture_output=True, text=True)
    skipped = ""
    if source and done.returncode == _BAD_INPUT:
        alone = subprocess.run(command, capture_output=True, text=True)
        if alone.returncode in range(_BAD_INPUT):  # the fault is the source's
            skipped, done = (done.stderr.splitlines() or [""])[0].removeprefix(f"{source}:"), alone
    if done.returncode not in range(_BAD_INPUT):
        raise AffirmError(done.stderr.strip() or f"{command[0]} ended with status {done.returncode}")
    return Result(json.loads(done.stdout), pathlib.Path(folder), target, skipped)


def main() -> int:
    """The command line `affirm` in this process: the entry point of the wheel. Returns the exit status."""
    from affirm import _native

    # Python handles SIGINT, and ignores two more. As in any program of C++, each ends this process at once.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(ignored, signal.SIG_DFL)
    return _native.run_tool([os.fsencode(word) for word in sys.argv])
