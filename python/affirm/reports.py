"""What the verbs say of a module, as objects. `str` of each is what the tool prints, `json` what it prints with --json."""

from __future__ import annotations

import json
from typing import Any, NoReturn


class Report:
    """The answer of a verb. It has no truth value, since a verdict has more than two."""

    def __init__(self, answer: tuple[str, str, str, int]) -> None:
        text, self.summary, self.details, self.status = answer
        self.json: dict[str, Any] = json.loads(text)

    summary: str
    """What fits a screen."""
    details: str
    """All of it, for people."""
    status: int
    """The exit status of the verb: 0 when all is proved, equal or affirmed, 1 when something is wrong, 2 when something was only executed or
    stayed unknown."""

    @property
    def verdict(self) -> str:
        """One word."""
        return self.json["verdict"]

    @property
    def findings(self) -> list[str]:
        """What is wrong or unknown, a text each."""
        raise NotImplementedError

    def rows(self) -> list[tuple[str, str, str]]:
        """(what, verdict, why) of each part, for tables."""
        raise NotImplementedError

    def __bool__(self) -> NoReturn:
        raise TypeError("a report has no truth value, since a verdict has more than two: compare `report.verdict`")

    def __str__(self) -> str:
        return self.summary.rstrip("\n")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.verdict}>"

    def _repr_html_(self) -> str:
        from affirm import html

        return html.report(self)


class CheckReport(Report):
    """What `affirm check` says of a module: "affirmed", "refuted", "mismatch" or "unknown"."""

    @property
    def verdict(self) -> str:
        return self.json["verdict"].partition(":")[0].lower()

    @property
    def findings(self) -> list[str]:
        return [f"{finding['kind']}: {finding['text']}" for finding in self.json["findings"]]

    @property
    def covered(self) -> str:
        """"18 of 18 instructions, 1 of 1 kernels, the module as a whole on 5 sets of arguments"."""
        return self.json["covered"]

    @property
    def maps(self) -> list[dict[str, Any]]:
        """The maps of each instruction for each operand, with their proof: "instruction", "operand", "maps", "exactness", "proof"."""
        return self.json["maps"]

    @property
    def kernels(self) -> list[dict[str, Any]]:
        """The kernels that affirm emits, each with the claims about its LLVM IR and what its runs came to."""
        return self.json["kernels"]

    @property
    def ledger(self) -> list[dict[str, Any]]:
        """What was covered of each instruction and each kernel, and of the module as a whole."""
        return self.json["ledger"]

    def rows(self) -> list[tuple[str, str, str]]:
        return [(f"{row['kind']} {row['name']}", row.get("map", "-"), row.get("why", "") or row["value"]) for row in self.ledger]


class Validation(Report):
    """What `affirm validate` says of a kernel: "proved", "executed", "refuted" or "unknown"."""

    @property
    def claims(self) -> dict[str, str]:
        """The verdict of each claim."""
        return {claim["claim"]: claim["verdict"] for claim in self.json["claims"]}

    @property
    def findings(self) -> list[str]:
        return [f"{what}: {why}" for what, verdict, why in self.rows() if verdict != "proved"]

    def rows(self) -> list[tuple[str, str, str]]:
        return [(claim["claim"], claim["verdict"], claim.get("reason", "")) for claim in self.json["claims"]]


class Comparison(Report):
    """What `affirm equiv --hlo` says of two modules: "equal", "different" or "unknown"."""

    @property
    def counterexample(self) -> dict[str, Any] | None:
        """Where they differ: the element, both values, and the arguments."""
        return self.json.get("counterexample")

    @property
    def findings(self) -> list[str]:
        return [f"{what}: {verdict}: {why}" for what, verdict, why in self.rows() if verdict not in ("proved", "same graph")]

    def rows(self) -> list[tuple[str, str, str]]:
        return [(f"result {i} {row.get('shape', '')}", row.get("how", row.get("verdict", "")), row.get("reason", ""))
                for i, row in enumerate(self.json["results"])]
