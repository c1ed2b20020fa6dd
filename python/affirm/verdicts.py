"""The order of verdicts, their meet, and exit statuses: `verify/verdict.h` for Python."""

from collections.abc import Iterable
from typing import Literal, get_args

Level = Literal["unknown", "executed", "proved"]

LEVELS = get_args(Level)
"""From the weakest to the strongest. "refuted" is none: it would pass everything."""

ORDER = ("refuted", "unknown", "executed", "proved")
"""From the weakest to the strongest."""

BAD_INPUT = 3
"""The exit status of bad input or usage."""


def meet(verdicts: Iterable[str]) -> str:
    """The weakest of the verdicts; "unknown" for none, since nothing was covered.

    >>> meet(["proved", "executed"])
    'executed'
    """
    return min(verdicts, key=_rank, default="unknown")


def require_level(level: str) -> None:
    """ValueError unless the word is one of LEVELS.

    >>> require_level("prooved")
    Traceback (most recent call last):
    ValueError: no level 'prooved': there are unknown, executed, proved
    """
    if level not in LEVELS:
        raise ValueError(f"no level {level!r}: there are {', '.join(LEVELS)}")


def reaches(verdict: str, level: Level) -> bool:
    """Whether the verdict is at least `level`. ValueError for a word that is no verdict or no level.

    >>> reaches("executed", "proved")
    False
    """
    require_level(level)
    return _rank(verdict) >= _rank(level)


def status(verdict: str, level: Level = "proved") -> int:
    """The exit status: 0 where the verdict reaches `level`, else 1 where it is refuted, else 2."""
    if reaches(verdict, level):
        return 0
    return 1 if verdict == "refuted" else 2


def _rank(verdict: str) -> int:
    """The position in ORDER."""
    if verdict not in ORDER:
        raise ValueError(f"no verdict {verdict!r}: there are {', '.join(ORDER)}")
    return ORDER.index(verdict)
