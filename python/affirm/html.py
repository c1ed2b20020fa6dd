"""What notebooks show of maps, proofs, modules and reports: a table, and of a small map a picture. No scripts, no styles of a page."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from affirm._native import IndexingMap, LabeledMap, MapProof, Simplification
    from affirm.module import Module
    from affirm.reports import Report

# Colors of verdicts and of claims about maps, legible on light and on dark pages.
_COLORS = {"good": "#1a7f37", "bad": "#cf222e", "open": "#9a6700"}
_KINDS = {"good": {"affirmed", "proved", "equal", "covers", "exact", "same graph"},
          "bad": {"refuted", "mismatch", "different"}}
_MOST_SIDE = 24  # cells of a picture
_MOST_POINTS = 4096
_MOST_ROWS = 200  # of a table
_CELL = 14  # pixels


def _text(value: object) -> str:
    return html.escape(str(value))


def _code(value: object) -> str:
    return f"<code>{_text(value)}</code>"


def _badge(verdict: str) -> str:
    kind = next((kind for kind, words in _KINDS.items() if verdict in words), "open")
    return f'<b style="color:{_COLORS[kind]}">{_text(verdict)}</b>'


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table whose cells are HTML."""
    rows = list(rows)
    line = lambda cells, tag: "<tr>" + "".join(f'<{tag} style="text-align:left;vertical-align:top">{c}</{tag}>' for c in cells) + "</tr>"
    more = f"<p>... and {len(rows) - _MOST_ROWS} more</p>" if len(rows) > _MOST_ROWS else ""
    body = "".join(line(row, "td") for row in rows[:_MOST_ROWS])
    return f"<table><thead>{line(map(_text, head), 'th')}</thead><tbody>{body}</tbody></table>{more}"


def _bounds(bounds: tuple[int, int]) -> str:
    return f"[{bounds[0]}, {bounds[1]}]"


def indexing_map(map: IndexingMap) -> str:
    """The parts of a map, and where it leads."""
    if map.is_undefined or map.is_known_empty:
        return f"<p>{_code(map)}</p>"
    rows = [(kind, _code(name), _text(_bounds(bounds)))
            for kind, variables in (("dim", map.dims), ("symbol", map.symbols), ("runtime", map.runtime)) for name, bounds in variables]
    rows += [("constraint", _code(expression), _text(_bounds(bounds))) for expression, bounds in map.constraints]
    return f"<div>{_code(map)}{_table(['', '', 'in'], rows)}{_picture(map)}</div>"


def _picture(map: IndexingMap) -> str:
    """The results as cells of a grid of one or two dimensions: those of the first point, those of others, those of none."""
    if not 1 <= len(map.results) <= 2 or map.num_points is None or map.num_points > _MOST_POINTS or map.runtime:
        return ""
    ranges = [map.range_of(result) for result in map.results]
    if any(high - low >= _MOST_SIDE for low, high in ranges):
        return ""
    (rows, columns) = ranges if len(ranges) == 2 else ((0, 0), ranges[0])
    first, reached = None, set()
    for point in _points([bounds for _, bounds in map.dims]):
        image = {cell if len(cell) == 2 else (0, *cell) for cell in map.image(point)}
        if image and first is None:
            first = (point, image)
        reached |= image
    if first is None:
        return ""
    cells = []
    for y in range(rows[0], rows[1] + 1):
        for x in range(columns[0], columns[1] + 1):
            fill = "#0969da" if (y, x) in first[1] else "#80ccff" if (y, x) in reached else "none"
            cells.append(f'<rect x="{(x - columns[0]) * _CELL}" y="{(y - rows[0]) * _CELL}" width="{_CELL - 1}" height="{_CELL - 1}" '
                         f'fill="{fill}" stroke="#8c959f"><title>{y}, {x}</title></rect>')
    width, height = (columns[1] - columns[0] + 1) * _CELL, (rows[1] - rows[0] + 1) * _CELL
    says = f"results of ({', '.join(str(i) for i in first[0])}) dark, of other points light"
    return (f'<figure style="margin:4px 0"><svg role="img" aria-label="{_text(says)}" width="{width}" height="{height}">{"".join(cells)}'
            f"</svg><figcaption>{_text(says)}</figcaption></figure>")


def _points(bounds: list[tuple[int, int]]) -> Iterable[list[int]]:
    if not bounds:
        yield []
        return
    for value in range(bounds[0][0], bounds[0][1] + 1):
        for rest in _points(bounds[1:]):
            yield [value, *rest]


def labeled_map(label: LabeledMap) -> str:
    return f"<div>{_badge(label.exactness)} {indexing_map(label.map)}</div>"


def proof(answer: MapProof) -> str:
    """The verdict and the counterexample."""
    rows = [("verdict", _badge(answer.verdict)), ("engine", _text(answer.engine))]
    if answer.counterexample:
        rows.append(("counterexample", _code(answer.counterexample_text)))
    if answer.reason:
        rows.append(("reason", _text(answer.reason)))
    return _table(["", ""], rows)


def simplification(steps: Simplification) -> str:
    """Each step: its rule, where, both sides."""
    rows = [(_code(s["rule"]), _text(s["location"]), _code(s["before"]), _code(s["after"])) for s in steps.steps]
    return f"<div>{_code(steps.before)}{_table(['rule', 'at', 'before', 'after'], rows)}{_code(steps.after)}</div>"


def module(m: Module) -> str:
    """Its instructions with their maps to operands."""
    maps: dict[str, list[str]] = {}
    for row in m.maps():
        texts = [f"{_badge(label.exactness)} {_code(label.map)}" for label in row.maps] or ["nothing is read"]
        maps.setdefault(row.instruction.name, []).append(f"operand {row.operand}: " + "<br>".join(texts))
    rows = [(_text(i.computation), _code(i.name), _text(i.opcode), _code(i.shape), "<br>".join(maps.get(i.name, []))) for i in m.instructions]
    return f"<div><b>{_text(m.name)}</b>{_table(['computation', 'instruction', 'op', 'shape', 'reads'], rows)}</div>"


def report(answer: Report) -> str:
    """The verdict, what is wrong or unknown, and each part."""
    found = "".join(f"<li>{_text(text)}</li>" for text in answer.findings)
    rows = [(_text(what), _badge(verdict), _text(why)) for what, verdict, why in answer.rows()]
    return f"<div>{_badge(answer.verdict)}<ul>{found}</ul>{_table(['', 'verdict', ''], rows)}</div>"
