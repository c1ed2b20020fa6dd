"""The order of verdicts, their meet, and exit statuses: `verify/verdict.h` for Python."""

from collections.abc import Iterable
from typing import Literal

Level = Literal["unknown", "executed", "proved"]

ORDER = ("refuted", "unknown", "executed", "proved")
"""From the weakest to the strongest."""

BAD_INPUT = 3
"""The exit status of bad input or usage."""


def meet(verdicts: Iterable[str]) -> str:
    """The weakest of the verdicts; "unknown" for none, since nothing was covered.

    >>> meet(["proved", "executed"])
    'executed'
    """
    return min(verdicts, key=ORDER.index, default="unknown")


def reaches(verdict: str, level: Level) -> bool:
    """Whether the verdict is at least `level`. ValueError for a word that is no verdict.

    >>> reaches("executed", "proved")
    False
    """
    return ORDER.index(verdict) >= ORDER.index(level)


def status(verdict: str, level: Level = "proved") -> int:
    """The exit status: 0 where the verdict reaches `level`, else 1 where it is refuted, else 2."""
    if reaches(verdict, level):
        return 0
    return 1 if verdict == "refuted" else 2
