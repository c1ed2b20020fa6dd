"""The pages of the site that are made from the source: the front page from README.md, the reference of verbs from what
`affirm VERB --help` prints, that of formats from the tables of the source and from what the tool prints in each of them.
A hook of MkDocs; the tool is AFFIRM, or build/tools/affirm."""
import os
import pathlib
import re
import subprocess

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

SOURCES = pathlib.Path(__file__).resolve().parents[2]


def affirm(*arguments, status=0):
    tool = os.environ.get("AFFIRM", SOURCES / "build" / "tools" / "affirm")
    try:
        done = subprocess.run([tool, *arguments], capture_output=True, text=True, cwd=SOURCES,
                              env=os.environ | {"NO_COLOR": "1", "COLUMNS": "100"})
    except OSError as error:
        raise PluginError(f"the reference needs the tool: build it, or set AFFIRM ({error})") from error
    if done.returncode != status:
        raise PluginError(f"affirm {' '.join(arguments)}: exit status {done.returncode}, expected {status}: {done.stderr}")
    return done.stdout


def help_of(*verb):
    return affirm(*verb, "--help")


def source(path, pattern, least):
    """What a pattern finds in a file of the source; it is there, or the file has another form now."""
    found = re.findall(pattern, (SOURCES / path).read_text())
    if len(found) < least:
        raise PluginError(f"{path}: {len(found)} places like {pattern}, expected {least}; is its form another now?")
    return found


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"


def fenced(text, language="text"):
    return f"```{language}\n{text.rstrip()}\n```\n"


def front_page():
    """README.md, whose links start at the root of the sources; files there that are no pages are named alone."""
    text = (SOURCES / "README.md").read_text()
    text = re.sub(r"\[([^\]]*)\]\((?:LICENSE|CONTRIBUTING\.md|CHANGELOG\.md)\)", r"\1", text)
    return re.sub(r"\]\(docs/", "](", text)


def verbs_of(overview):
    verbs = re.findall(r"^  ([a-z][a-z-]*)  ", overview.split("SUBCOMMANDS:")[-1], re.M)
    if len(verbs) < 10:
        raise PluginError(f"`affirm --help` lists {len(verbs)} verbs; is its form another now?")
    return verbs


def reference_of_verbs():
    overview = help_of()
    pages = ["# Verbs\n\nWhat `affirm --help` and `affirm VERB --help` print.\n", fenced(overview)]
    pages += [f"## {verb}\n\n{fenced(help_of(verb))}" for verb in verbs_of(overview)]
    return "\n".join(pages)


# Two maps that differ, and so a report with one finding; small enough to be read in each format.
DIFFERENT = ["equiv", "--map-a", "(d0) -> (d0 mod 4), domain: d0 in [0, 7]", "--map-b", "(d0) -> (d0), domain: d0 in [0, 7]"]
LANGUAGES = {"json": "json", "sarif": "json", "junit": "xml", "html": "html", "markdown": "markdown"}


def reference_of_formats():
    formats = source("tools/affirm/report_options.cc", r'\{"(\w+)", \{"(\.\w+)", "(\.\w+)"\}', 6)
    claims = source("driver/report_model/claims.cc", r'\{"([a-z-]+)",\s*"([^"]+)"\}', 35)
    helps = {verb: help_of(verb) for verb in verbs_of(help_of())}
    reporting = [verb for verb, text in helps.items() if "--format" in text]
    json_alone = [verb for verb, text in helps.items() if "--json" in text and verb not in reporting]
    page = ["# Formats\n", "[Reports](../reports.md) says what they are for; this page has what there is.\n",
            "## Which verb has which\n",
            table(["verbs", "have"],
                  [[", ".join(f"`{verb}`" for verb in reporting), ", ".join(f"`{name}`" for name, *_ in formats) + " by `--format` and `--report`"],
                   [", ".join(f"`{verb}`" for verb in json_alone), "text, and JSON by `--json`"]]),
            "## Endings of files of `--report`\n",
            table(["format", "endings"], [[f"`{name}`", ", ".join(sorted({f"`{one}`", f"`{other}`"}))] for name, one, other in formats]),
            "## Claims\n", "Each record of a report is about one of these; `ruleId` of SARIF is the claim with its verdict (`bounds-refuted`).\n",
            table(["claim", "says"], [[f"`{claim}`", text] for claim, text in claims]),
            "## The same report in each of them\n",
            "What `affirm " + " ".join(f"'{word}'" if " " in word else word for word in DIFFERENT) + " --format FORMAT` prints.\n"]
    for name, *_ in formats:
        page += [f"### {name}\n", fenced(affirm(*DIFFERENT, "--format", name, status=1), LANGUAGES.get(name, "text")).replace("```markdown\n", "````markdown\n", 1)]
        if name == "markdown":  # which has fences of its own
            page[-1] = page[-1][:-len("```\n")] + "````\n"
    return "\n".join(page)


def on_files(files, config):
    for name, text in {"index.md": front_page(), "reference/verbs.md": reference_of_verbs(),
                       "reference/formats.md": reference_of_formats()}.items():
        files.append(File.generated(config, name, content=text))
    return files
