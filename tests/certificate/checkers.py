"""Asks affirm-check and the twin, a second checker, about certificates: they accept the same ones."""

import pathlib
import re
import subprocess
import sys
import tempfile


def ask(checker, files, statuses):
    done = subprocess.run([checker, *files], text=True, errors="replace", capture_output=True, check=False)
    assert done.returncode in statuses, f"{checker}: status {done.returncode}\n{done.stderr}"
    return done.stdout.splitlines()


def asked(check, twin, texts):
    """Which texts affirm-check accepts, and the lines that it prints. Ends the program where the twin says something else."""
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder) / f"{k}.cert" for k in range(len(texts))]
        for file, text in zip(files, texts):
            file.write_text(text)
        lines = ask(check, files, (0, 1))
        others = ask(twin, files, (0,))
    named = [re.match(rf"(accepted|rejected): {re.escape(folder)}/(\d+)\.cert:", line) for line in lines]
    verdicts = {int(m[2]): m[1] == "accepted" for m in named if m}
    assert len(verdicts) == len(others) == len(texts), f"{len(verdicts)} and {len(others)} verdicts of {len(texts)}"
    for k, line in enumerate(others):
        if verdicts[k] != (line == "accepted"):
            reasons = [line for line, m in zip(lines, named) if m and int(m[2]) == k]
            sys.exit(f"the checkers disagree: affirm-check says {reasons[0]}, the twin says {line}:\n{texts[k]}")
    return [verdicts[k] for k in range(len(texts))], lines
