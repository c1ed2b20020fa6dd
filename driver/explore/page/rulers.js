// Indices at the margins of arrays, and the text beside the pointer.
const Rulers = (() => {
  const { el } = Dom;
  const kCharacter = 6.2, kLine = 12;  // pixels of the rulers' font
  const kFont = "10px ui-monospace, 'DejaVu Sans Mono', monospace";

  // Indices first, ..., first + count - 1 that have room for their digits: a step of 1, 2, 5, 10, ...
  // `cell` is the size of an element in pixels, `room` maps the largest index to the pixels that it needs.
  function ticks(first, count, cell, room) {
    const need = room(first + count - 1);
    let step = 1;
    for (let k = 0; step * cell < need && step < count; ++k) step = [2, 5, 10][k % 3] * 10 ** Math.floor(k / 3);
    const list = [];
    for (let i = Math.ceil(first / step) * step; i < first + count; i += step) list.push(i);
    return list;
  }
  const across = (i) => String(i).length * kCharacter + 4;
  const along = () => kLine;
  const widthOf = (largest) => Math.ceil(String(largest).length * kCharacter) + 7;

  // The margins of a grid: none for a scalar, and for a vector that stands in one line none at the left.
  function margins(grid) {
    const rank = grid.dims.length;
    if (rank === 0 || grid.empty) return { left: 0, top: 0 };
    const rows = grid.line || rank > 1;
    return { left: rows ? widthOf(Math.max(0, grid.dims[grid.line ? 0 : rank - 2] - 1)) : 0, top: kLine };
  }

  // The ticks of the rows and columns in the window. A vector in lines has the first index of each line,
  // and above them what is added to it.
  function ticksOf(grid) {
    const rank = grid.dims.length;
    if (rank === 0 || grid.empty) return { rows: [], columns: [] };
    if (grid.line) {
      const lines = ticks(0, grid.rows, grid.cellHeight, along);
      return { rows: lines.map((k) => [grid.first[0] + k * grid.line, k]),
        columns: ticks(0, grid.columns, grid.cellWidth, (i) => across(i) + kCharacter).map((i) => ["+" + i, i]) };
    }
    const of = (d, size, room) => ticks(grid.first[d], grid.count[d], size, room).map((i) => [i, i - grid.first[d]]);
    return { rows: rank > 1 ? of(rank - 2, grid.cellHeight, along) : [], columns: of(rank - 1, grid.cellWidth, across) };
  }

  function draw(grid, context, color) {
    const { rows, columns } = ticksOf(grid);
    context.fillStyle = color;
    context.font = kFont;
    context.textBaseline = "middle";
    const down = Math.ceil(grid.panels / grid.across);
    for (let p = 0; p < Math.min(grid.across, grid.panels); ++p) {
      context.textAlign = "center";
      for (const [text, k] of columns) {
        // Digits stay on the canvas.
        const half = (String(text).length * kCharacter) / 2;
        const x = Math.min(grid.columns * grid.cellWidth + 1 - half, Math.max(half - (p === 0 ? grid.margin.left : 0), k * grid.cellWidth + grid.cellWidth / 2));
        context.fillText(text, p * grid.panelWidth + x, -kLine / 2);
      }
    }
    context.textAlign = "right";
    for (let q = 0; q < down; ++q) {
      for (const [text, k] of rows) context.fillText(text, -5, q * grid.panelHeight + grid.header + k * grid.cellHeight + grid.cellHeight / 2);
    }
    context.textAlign = "left";
    grid.box.dataset.rows = rows.map(([text]) => text).join(" ");
    grid.box.dataset.columns = columns.map(([text]) => text).join(" ");
  }

  // One for the page. Lines of text, shown beside a place of the window and kept inside of it.
  const tip = {
    show(lines, x, y) {
      this.node ??= document.body.appendChild(el("div", { id: "tip", role: "tooltip", hidden: true }));
      this.node.replaceChildren(...lines.filter(Boolean).map((line, k) => el("div", { class: k === 0 ? "tip-first" : "" }, line)));
      this.node.hidden = false;
      const box = this.node.getBoundingClientRect();
      this.node.style.left = Math.max(4, Math.min(x + 14, window.innerWidth - box.width - 8)) + "px";
      this.node.style.top = Math.max(4, y + 18 + box.height > window.innerHeight ? y - box.height - 10 : y + 18) + "px";
    },
    hide() {
      if (this.node) this.node.hidden = true;
    },
  };
  window.addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hide(); });
  window.addEventListener("scroll", () => tip.hide(), true);

  return { ticks, margins, draw, tip };
})();
