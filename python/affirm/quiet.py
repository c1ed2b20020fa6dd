"""JAX where there is no driver of CUDA, without its remarks about that. Imports no JAX."""

import contextlib
import ctypes
import os
import re
import subprocess
from collections.abc import Iterator

# Each of CUDA's libraries says these two lines when it is loaded, past all settings of logging: logging has not begun then.
_REMARKS = r"cudart_stub\.cc:[0-9]+\] Could not find cuda drivers|^WARNING: All log messages before absl::InitializeLog\(\)"
# With it JAX does not compare the versions of libraries that it cannot load, which is a traceback.
_NO_COMPARISON = "JAX_SKIP_CUDA_CONSTRAINTS_CHECK"


def has_driver() -> bool:
    """Whether a driver of CUDA is here."""
    try:
        ctypes.CDLL("libcuda.so.1")
        return True
    except OSError:
        return False


def without_remarks(text: str) -> str:
    """The lines that say something."""
    return "".join(line for line in text.splitlines(keepends=True) if not re.search(_REMARKS, line))


@contextlib.contextmanager
def no_remarks() -> Iterator[None]:
    """Keeps what libraries say of a driver that is not there from standard error; all else is handed on, line by line.

    The lines go through a process of its own, so that what is written before a crash is not lost. Where there is a driver nothing is
    done.

        >>> with no_remarks():
        ...     import jax
    """
    if has_driver():
        yield
        return
    before = os.environ.get(_NO_COMPARISON)
    os.environ.setdefault(_NO_COMPARISON, "1")
    errors = os.dup(2)
    handing_on = subprocess.Popen(["grep", "--line-buffered", "-vE", _REMARKS], stdin=subprocess.PIPE, stdout=errors)
    assert handing_on.stdin is not None
    os.dup2(handing_on.stdin.fileno(), 2)
    handing_on.stdin.close()
    try:
        yield
    finally:
        os.dup2(errors, 2)  # the other end is closed, so that the process ends
        os.close(errors)
        handing_on.wait()
        if before is None:
            del os.environ[_NO_COMPARISON]
