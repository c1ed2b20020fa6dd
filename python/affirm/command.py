"""Command lines of this package: usage that is wrong ends with the status of bad input, as the tool's does."""

import argparse
import sys
from typing import NoReturn

from affirm.verdicts import BAD_INPUT


class Parser(argparse.ArgumentParser):
    """argparse's, but for the exit status: its own is 2, which is that of a verdict here."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(BAD_INPUT, f"{self.prog}: error: {message}\n")
