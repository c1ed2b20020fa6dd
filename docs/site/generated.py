"""The pages of the site that are made from the source: the front page from README.md, the reference of verbs from what
`affirm VERB --help` prints. A hook of MkDocs; the tool is AFFIRM, or build/tools/affirm."""
import os
import pathlib
import re
import subprocess

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

SOURCES = pathlib.Path(__file__).resolve().parents[2]


def help_of(*verb):
    tool = os.environ.get("AFFIRM", SOURCES / "build" / "tools" / "affirm")
    try:
        done = subprocess.run([tool, *verb, "--help"], capture_output=True, text=True, check=True,
                              env=os.environ | {"NO_COLOR": "1", "COLUMNS": "100"})
    except (OSError, subprocess.CalledProcessError) as error:
        raise PluginError(f"the reference of verbs needs the tool: build it, or set AFFIRM ({error})") from error
    return done.stdout


def front_page():
    """README.md, whose links start at the root of the sources."""
    text = (SOURCES / "README.md").read_text()
    return re.sub(r"\]\(docs/", "](", text)


def reference_of_verbs():
    overview = help_of()
    verbs = re.findall(r"^  ([a-z][a-z-]*)  ", overview.split("SUBCOMMANDS:")[-1], re.M)
    if len(verbs) < 10:
        raise PluginError(f"`affirm --help` lists {len(verbs)} verbs; is its form another now?")
    pages = [f"# Verbs\n\nWhat `affirm --help` and `affirm VERB --help` print.\n\n```text\n{overview.rstrip()}\n```\n"]
    pages += [f"## {verb}\n\n```text\n{help_of(verb).rstrip()}\n```\n" for verb in verbs]
    return "\n".join(pages)


def on_files(files, config):
    for name, text in {"index.md": front_page(), "reference/verbs.md": reference_of_verbs()}.items():
        files.append(File.generated(config, name, content=text))
    return files
