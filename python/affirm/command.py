"""Command lines of this package: usage that is wrong ends with the status of bad input, as the tool's does."""

import argparse
import sys
from typing import Any, NoReturn

from affirm.verdicts import BAD_INPUT


class _Once(argparse.Action):
    """Stores a value. An option that is given twice is wrong usage: of argparse's the last one wins without a word."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option_string: str | None = None) -> None:
        given = vars(namespace).setdefault("_given", set())
        if option_string is not None and self.dest in given:
            parser.error(f"argument {option_string}: given twice")
        given.add(self.dest)
        setattr(namespace, self.dest, values)


class Parser(argparse.ArgumentParser):
    """argparse's, but for the exit status: its own is 2, which is that of a verdict here; and options of one value are given once."""

    def __init__(self, **named: Any) -> None:
        super().__init__(**named)
        for name in (None, "store"):
            self.register("action", name, _Once)

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(BAD_INPUT, f"{self.prog}: error: {message}\n")
