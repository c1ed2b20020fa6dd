"""The compile command of each source, where the build compiles sources in groups (AFFIRM_UNITY).

compile_commands.py BUILD FOLDER writes FOLDER/compile_commands.json, for clang-tidy and editors.
"""

import json
import pathlib
import re
import sys


def entries(build):
    """The entries of a build's compile_commands.json, with one for each file of a group in the group's stead."""
    for entry in json.loads((pathlib.Path(build) / "compile_commands.json").read_text()):
        group = pathlib.Path(entry["file"])
        if not (group.parent.name == "Unity" and group.name.startswith("unity_")):
            yield entry
            continue
        for source in re.findall(r'#include "(.*)"', group.read_text()):
            yield {**entry, "file": source, "command": entry["command"].replace(str(group), source)}


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "compile_commands.json").write_text(json.dumps(list(entries(sys.argv[1])), indent=1) + "\n")
