"""JAX where there is no driver of CUDA, without its remarks about that. Imports no JAX."""

import contextlib
import ctypes
import os
import re
import subprocess
import threading
from collections.abc import Iterator

# Each of CUDA's libraries says these two lines when it is loaded, past all settings of logging: logging has not begun then.
_REMARKS = r"cudart_stub\.cc:[0-9]+\] Could not find cuda drivers|^WARNING: All log messages before absl::InitializeLog\(\)"
# With it JAX does not compare the versions of libraries that it cannot load, which is a traceback.
_NO_COMPARISON = "JAX_SKIP_CUDA_CONSTRAINTS_CHECK"
_MOST_SECONDS = 5  # for what is still to be handed on


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


class _Redirection:
    """Standard error through a process that leaves the remarks out. It is one of the whole process, so that threads share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0

    def enter(self) -> None:
        with self._lock:
            self._users += 1
            if self._users == 1:
                self._begin()

    def leave(self) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._end()

    def _begin(self) -> None:
        self._before = os.environ.get(_NO_COMPARISON)
        os.environ.setdefault(_NO_COMPARISON, "1")
        self._errors = os.dup(2)
        self._handing_on = subprocess.Popen(["grep", "--line-buffered", "-vE", _REMARKS], stdin=subprocess.PIPE, stdout=self._errors)
        assert self._handing_on.stdin is not None
        os.dup2(self._handing_on.stdin.fileno(), 2)
        self._handing_on.stdin.close()

    def _end(self) -> None:
        os.dup2(self._errors, 2)  # the other end is closed, so that the process ends
        os.close(self._errors)
        with contextlib.suppress(subprocess.TimeoutExpired):  # a child of another thread may hold that end for as long as it lives
            self._handing_on.wait(_MOST_SECONDS)
        if self._before is None:
            os.environ.pop(_NO_COMPARISON, None)


_redirection = _Redirection()


@contextlib.contextmanager
def no_remarks() -> Iterator[None]:
    """Keeps what libraries say of a driver that is not there from standard error; all else is handed on, line by line.

    The lines go through a process of its own, so that what is written before a crash is not lost. It is there until the last thread
    has left. Where there is a driver nothing is done.

        >>> with no_remarks():
        ...     import jax
    """
    if has_driver():
        yield
        return
    _redirection.enter()
    try:
        yield
    finally:
        _redirection.leave()
