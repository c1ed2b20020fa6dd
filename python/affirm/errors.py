"""The one exception of affirm, with the place of what is wrong."""

import re

_PLACE = re.compile(r"\A(?P<file>.*?):(?P<line>\d+):(?P<column>\d+): error: (?P<what>[^\n]*)")


class Error(Exception):
    """Something could not be read, or could not be done; the text says what, and what was expected.

    Where the fault has a place in a text, `file`, `line` and `column` (from 1) name it, and `message` is the text without it;
    else these three are None.

        >>> from affirm import Error, Module
        >>> try:
        ...     Module.from_text("HloModule m\\nENTRY e {\\n  ROOT p = f32[2] parameter(0), no\\n}", name="m.hlo")
        ... except Error as error:
        ...     error.file, error.line, error.column > 1
        ('m.hlo', 3, True)
    """

    file: str | None = None
    line: int | None = None
    column: int | None = None

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        self.message = text
        if match := _PLACE.match(text):
            self.file, self.message = match["file"], match["what"]
            self.line, self.column = int(match["line"]), int(match["column"])
