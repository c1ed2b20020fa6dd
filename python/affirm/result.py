"""What `affirm xla` found, as an object that prints as a table."""

import dataclasses
import pathlib
import textwrap
from typing import Any, NoReturn

# The claims of a kernel (docs/kernels.md).
CLAIMS = ("bounds", "integers", "barriers", "races", "writes", "elements", "values")
_LONGEST = 160  # of a reason in the table


@dataclasses.dataclass(frozen=True)
class _Part:
    """What a pass and a kernel have in common. `row` is the JSON that affirm printed."""

    row: dict[str, Any]

    @property
    def name(self) -> str:
        return self.row["name"]

    @property
    def verdict(self) -> str:
        """"proved", "executed" (the values agreed when run, and all else of a kernel is proved), "unknown" or "refuted"."""
        return self.row["verdict"]

    @property
    def reason(self) -> str:
        """Why it is not proved."""
        return self.row.get("reason", "")


class Pass(_Part):
    """A step from one HLO file of the dump to the next."""

    @property
    def pipeline(self) -> str:
        return self.row.get("pipeline", "")

    @property
    def changed(self) -> bool:
        """Whether the step made another module."""
        return self.row["changed"]


class Kernel(_Part):
    """A kernel as it is launched for one instruction."""

    @property
    def instruction(self) -> str:
        """The instruction of the optimized HLO that it computes."""
        return self.row["instruction"]

    @property
    def claims(self) -> dict[str, str]:
        """The verdict of each claim; empty where the kernel could not be read or launched."""
        return {claim["claim"]: claim["verdict"] for claim in self.row.get("validation", {}).get("claims", [])}


def _columns(rows: list[list[str]]) -> list[str]:
    """Rows of cells in columns of one width, the last one as it is."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ["  ".join([cell.ljust(width) for cell, width in zip(row, widths)]).rstrip() for row in rows]


def _short(text: str) -> str:
    return textwrap.shorten(text, _LONGEST, placeholder=" ...")


class Result:
    """The answer for a dump. `str` of it is a table; it has no truth value, since a verdict has four.

        >>> if result.verdict != "proved": print(result.first_wrong or result)
    """

    def __init__(self, answer: dict[str, Any], folder: pathlib.Path, target: str = "", import_not_compared: str = "") -> None:
        self.json = answer  # all that affirm printed (docs/xla.md)
        self.folder = folder  # of the dump; a temporary one is gone unless something is refuted
        self.target = target  # of affirm.targets, or empty if none was given
        self.import_not_compared = import_not_compared  # why StableHLO was not held against the first HLO; empty: it was, or it was not requested
        self.passes = [Pass(row) for row in answer.get("passes", [])]
        self.kernels = [Kernel(row) for row in answer.get("kernels", [])]

    @property
    def verdict(self) -> str:
        """The meet of the parts: refuted < unknown < executed < proved."""
        return self.json["verdict"]

    @property
    def first_wrong(self) -> dict[str, Any] | None:
        """The first pass, buffer, kernel or constant that is wrong: "stage", "name", "module", "counterexample"; None: nothing is."""
        return self.json.get("first_wrong")

    @property
    def assumed(self) -> list[str]:
        """Names of what is not covered and was taken on trust."""
        return self.json.get("assumed", [])

    @property
    def not_covered(self) -> list[str]:
        """What was not checked: library calls, copies."""
        return [text for module in self.json.get("modules", []) for text in module["not_covered"]]

    def __bool__(self) -> NoReturn:
        raise TypeError("a result has no truth value, since a verdict has four: compare `result.verdict`")

    def __repr__(self) -> str:
        return f"<affirm.Result {self.verdict}: {len(self._steps())} passes, {len(self.kernels)} kernels>"

    def __str__(self) -> str:
        modules = ", ".join(module["name"] for module in self.json.get("modules", []))
        parts = [f"{modules}{' for ' + self.target if self.target else ''}: {self.verdict}"]
        steps = self._steps()
        if steps:
            rows = [[step.name, step.pipeline, step.verdict, _short(step.reason)] for step in steps]
            parts += ["", *_columns([["pass", "pipeline", "verdict", ""], *rows])]
        if self.kernels:
            rows = [[kernel.name, kernel.verdict, *(kernel.claims.get(claim, "-") for claim in CLAIMS)] for kernel in self.kernels]
            parts += ["", *_columns([["kernel", "verdict", *CLAIMS], *rows])]
            parts += [f"  {kernel.name}: {_short(kernel.reason)}" for kernel in self.kernels if kernel.reason]
        parts[0] += ", assuming " + ", ".join(self.assumed) if self.assumed else ""
        parts += [f"schedule: {_short(fault)}" for module in self.json.get("modules", []) for fault in module.get("faults", [])]
        parts += [""] * bool(self.not_covered) + [f"not covered: {_short(text)}" for text in self.not_covered]
        parts += [""] * bool(self.import_not_compared)
        parts += [f"import: not compared with StableHLO: {_short(self.import_not_compared)}"] * bool(self.import_not_compared)
        return "\n".join(parts + self._wrong())

    def _steps(self) -> list[Pass]:
        return [step for step in self.passes if step.changed]

    def _wrong(self) -> list[str]:
        """Lines about the first that is wrong."""
        wrong = self.first_wrong
        if wrong is None:
            return []
        lines = ["", f"wrong: {wrong['stage']} {wrong['name']} of {wrong['module']}"]
        for key, value in wrong.get("counterexample", {}).items():
            if value in ("", {}):
                continue
            texts = [f"{name} = {text}" for name, text in value.items()] if isinstance(value, dict) else [str(value)]
            lines += [f"  {key}: {text}" for text in texts]
        return lines
