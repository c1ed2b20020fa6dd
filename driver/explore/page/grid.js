// An array drawn as a grid: up to four dimensions as rows and columns of panels, further ones sliced,
// and of a long dimension a part. What lights up is given as sets of elements.
//
// For a screen reader it is a grid of which the active cell exists: role="grid" with the number of
// its rows and columns, one row with one cell that aria-activedescendant names.
const Grid = (() => {
  const { el } = Dom;
  const kRows = 72, kColumns = 132, kPanels = 12, kHeight = 270, kLine = 32, kTextLine = 12;
  let numbers = 0;

  const product = (dims) => dims.reduce((a, b) => a * b, 1);
  function linear(dims, index) {
    let n = 0;
    for (let d = 0; d < dims.length; ++d) n = n * dims[d] + Number(index[d]);
    return n;
  }
  function indexOf(dims, n) {
    const index = new Array(dims.length);
    for (let d = dims.length - 1; d >= 0; --d) {
      index[d] = n % dims[d];
      n = Math.floor(n / dims[d]);
    }
    return index;
  }

  class ArrayGrid {
    // title, dims, select?(first, last): a box of elements was chosen; text?(linear): what stands in
    // a cell; value?(linear), about?(linear, states): its value, and a line about it, beside the
    // pointer; width: of the drawing.
    constructor({ title, dims, shape, select, text, value, about, width, hint }) {
      this.dims = dims;
      this.select = select;
      this.text = text;
      this.value = text ?? value;
      this.about = about;
      this.width = width ?? 620;
      this.title = title;
      this.empty = product(dims) === 0;
      this.active = dims.map(() => 0);
      this.anchor = null;
      this.marks = new Map();  // class -> Set of linear indices
      this.first = dims.map(() => 0);
      this.count = this.windowSizes();
      this.id = "grid-" + ++numbers;
      this.build(shape, hint);
      this.layOut();
    }

    windowSizes() {
      const rank = this.dims.length;
      // A long vector is written in lines.
      this.line = rank === 1 && this.dims[0] > (this.text ? kTextLine : kLine) ? (this.text ? kTextLine : kLine) : 0;
      if (this.line) return [Math.min(this.dims[0], this.line * (this.text ? 8 : 16))];
      let panels = this.dims[rank - 1] > 60 ? kPanels / 2 : kPanels;
      const count = this.dims.map(() => 1);
      for (let d = rank - 1; d >= Math.max(0, rank - 4); --d) {
        const most = this.text && rank <= 2 ? (d === rank - 1 ? kTextLine : 16)
          : d === rank - 1 ? kColumns : d === rank - 2 ? kRows : Math.max(1, panels);
        count[d] = Math.min(this.dims[d], most);
        if (d < rank - 2) panels = Math.floor(panels / Math.max(1, count[d]));
      }
      return count;
    }

    build(shape, hint) {
      this.caption = el("div", { class: "grid-caption" }, el("strong", {}, this.title), " ", el("code", {}, shape ?? ""), " ");
      this.info = el("span", { class: "grid-info" });
      this.caption.append(this.info);
      this.canvas = el("canvas", { "aria-hidden": "true" });
      this.cell = el("div", { role: "gridcell", id: this.id + "-cell" });
      this.row = el("div", { role: "row", class: "visually-hidden" }, this.cell);
      const rank = this.dims.length;
      this.box = el("div", {
        role: "grid", tabindex: 0, class: "grid", id: this.id,
        "aria-label": `${this.title}, array ${shape ?? ""}${hint ? ", " + hint : ""}`,
        "aria-rowcount": rank > 1 ? this.dims[rank - 2] : 1, "aria-colcount": rank > 0 ? this.dims[rank - 1] : 1,
        "aria-activedescendant": this.cell.id, "aria-readonly": "true",
      }, this.canvas, this.row);
      this.pagers = el("div", { class: "pagers" });
      this.node = el("figure", { class: "array" }, this.caption, this.box, this.pagers);
      this.box.addEventListener("keydown", (event) => this.key(event));
      for (const name of ["focus", "blur"]) this.box.addEventListener(name, () => this.draw());
      this.canvas.addEventListener("pointerdown", (event) => this.press(event));
      this.canvas.addEventListener("pointermove", (event) => this.move(event));
      this.canvas.addEventListener("pointerleave", () => this.hover(null, null));
    }

    // Where panels and cells stand.
    layOut() {
      const rank = this.dims.length;
      this.columns = this.line || (rank > 0 ? this.count[rank - 1] : 1);
      this.rows = this.line ? Math.ceil(this.count[0] / this.line) : rank > 1 ? this.count[rank - 2] : 1;
      const outer = this.count.slice(0, Math.max(0, rank - 2));
      this.panels = Math.max(1, product(outer));
      const header = this.panels > 1 || rank > 2 ? 20 : 0, gap = 14;
      this.margin = Rulers.margins(this);
      const cellFor = (across) => Math.floor((this.width - this.margin.left - gap * (across - 1)) / (across * this.columns));
      const most = this.text ? 64 : 20;
      const rowFor = (high) => this.text ? 24 : Math.floor((kHeight - high * (header + gap)) / (high * this.rows));
      // As many panels side by side as give the largest cells.
      let across = 1, best = 0;
      for (let n = 1; n <= this.panels; ++n) {
        if (n > 1 && cellFor(n) < 3) break;
        const size = Math.min(most, cellFor(n), rowFor(Math.ceil(this.panels / n)));
        if (size >= best) [across, best] = [n, size];
      }
      this.cellWidth = Math.max(3, Math.min(most, cellFor(across)));
      this.cellHeight = this.text ? 24 : Math.max(3, Math.min(most, rowFor(Math.ceil(this.panels / across))));
      if (!this.text && Math.min(this.cellWidth, this.cellHeight) > 5) {
        this.cellWidth = this.cellHeight = Math.min(this.cellWidth, this.cellHeight);
      }
      this.panelWidth = this.columns * this.cellWidth + gap;
      this.panelHeight = this.rows * this.cellHeight + gap + header;
      this.across = Math.max(1, across);
      this.header = header;
      const width = Math.min(this.panels, this.across) * this.panelWidth - gap + 2 + this.margin.left;
      const height = Math.ceil(this.panels / this.across) * this.panelHeight - gap + 2 + this.margin.top;
      const ratio = window.devicePixelRatio || 1;
      this.canvas.width = Math.ceil(width * ratio);
      this.canvas.height = Math.ceil(height * ratio);
      this.canvas.style.width = width + "px";
      this.canvas.style.height = height + "px";
      this.pager();
      this.draw();
    }

    pager() {
      this.pagers.replaceChildren();
      this.dims.forEach((size, d) => {
        if (this.count[d] >= size) return;
        const last = size - this.count[d];
        const move = (to) => {
          this.first[d] = Math.max(0, Math.min(last, to));
          this.pager();
          this.draw();
        };
        const text = this.count[d] === 1 ? `dimension ${d}: ${this.first[d]} of ${size}`
          : `dimension ${d}: ${this.first[d]} to ${this.first[d] + this.count[d] - 1} of ${size}`;
        this.pagers.append(el("span", { class: "group", role: "group", "aria-label": `Slice of dimension ${d}` },
          el("button", { type: "button", disabled: this.first[d] === 0, "aria-label": `dimension ${d}: before`, onclick: () => move(this.first[d] - this.count[d]) }, "◀"),
          el("input", { type: "number", min: 0, max: last, value: this.first[d], "aria-label": `dimension ${d}: first`, onchange: (event) => move(Number(event.target.value)) }),
          el("button", { type: "button", disabled: this.first[d] === last, "aria-label": `dimension ${d}: behind`, onclick: () => move(this.first[d] + this.count[d]) }, "▶"),
          el("span", {}, text)));
      });
    }

    // The element at a place of the drawing, where there is one.
    at(event) {
      const box = this.canvas.getBoundingClientRect();
      const x = event.clientX - box.left - 1 - this.margin.left, y = event.clientY - box.top - 1 - this.margin.top;
      if (x < 0 || y < 0) return null;
      const p = Math.floor(x / this.panelWidth) + this.across * Math.floor(y / this.panelHeight);
      const column = Math.floor((x % this.panelWidth) / this.cellWidth);
      const row = Math.floor(((y % this.panelHeight) - this.header) / this.cellHeight);
      if (p < 0 || p >= this.panels || column < 0 || column >= this.columns || row < 0 || row >= this.rows) return null;
      return this.indexAt(p, row, column);
    }
    indexAt(panel, row, column) {
      const rank = this.dims.length, outer = Math.max(0, rank - 2), index = [];
      if (this.line) {
        const n = row * this.line + column;
        return n < this.count[0] ? [this.first[0] + n] : null;
      }
      const offsets = indexOf(this.count.slice(0, outer), panel);
      for (let d = 0; d < outer; ++d) index.push(this.first[d] + offsets[d]);
      if (rank > 1) index.push(this.first[rank - 2] + row);
      if (rank > 0) index.push(this.first[rank - 1] + column);
      return index;
    }

    draw() {
      const context = this.canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
      const color = (name) => style.getPropertyValue("--" + name).trim();
      const ratio = window.devicePixelRatio || 1;
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.clearRect(0, 0, this.canvas.width, this.canvas.height);
      context.setTransform(ratio, 0, 0, ratio, ratio * this.margin.left + 1, ratio * this.margin.top + 1);
      if (this.empty) return;
      Rulers.draw(this, context, color("muted"));
      const gap = Math.min(this.cellWidth, this.cellHeight) > 5 ? 1 : 0.5;
      const order = ["near", "may", "lit", "chosen", "right", "wrong"].filter((name) => this.marks.has(name));
      const classOf = (n) => {
        let found = null;
        for (const name of order) if (this.marks.get(name).has(n)) found = name;
        return found;
      };
      const colors = {
        null: color("cell"), may: color("may"), lit: color("lit"), chosen: color("chosen"),
        wrong: color(this.text ? "bad-bg" : "bad"), right: color(this.text ? "ok-bg" : "ok"), near: color("near"),
      };
      context.textBaseline = "middle";
      const rank = this.dims.length;
      for (let p = 0; p < this.panels; ++p) {
        const x0 = (p % this.across) * this.panelWidth, y0 = Math.floor(p / this.across) * this.panelHeight;
        if (this.header) {
          context.fillStyle = color("muted");
          context.font = "11px ui-monospace, 'DejaVu Sans Mono', monospace";
          context.textAlign = "left";
          const outer = this.indexAt(p, 0, 0).slice(0, rank - 2);
          context.fillText(`[${outer.join(", ")}, :, :]`, x0, y0 + 7, this.panelWidth);
        }
        for (let row = 0; row < this.rows; ++row) {
          for (let column = 0; column < this.columns; ++column) {
            const index = this.indexAt(p, row, column);
            if (!index) continue;
            const n = linear(this.dims, index), kind = classOf(n);
            const x = x0 + column * this.cellWidth, y = y0 + this.header + row * this.cellHeight;
            context.fillStyle = colors[kind];
            context.fillRect(x, y, this.cellWidth - gap, this.cellHeight - gap);
            if (!this.text) continue;
            context.fillStyle = kind === "wrong" ? color("bad") : kind === "right" ? color("ok") : color("ink");
            context.font = (kind ? "bold " : "") + "11px ui-monospace, 'DejaVu Sans Mono', monospace";
            context.textAlign = "center";
            context.fillText(this.text(n), x + this.cellWidth / 2, y + this.cellHeight / 2, this.cellWidth - 4);
          }
        }
      }
      this.ring(context, color("chosen"));
      this.outline(context, color("focus"));
      this.canvas.dataset.colors = JSON.stringify(colors);
    }

    // Around a chosen cell that is too small to be seen at once.
    ring(context, color) {
      const chosen = this.marks.get("chosen");
      if (!chosen || chosen.size > 1 || Math.min(this.cellWidth, this.cellHeight) > 7) return;
      const place = this.placeOf(indexOf(this.dims, [...chosen][0]));
      if (!place) return;
      context.strokeStyle = color;
      context.lineWidth = 2;
      context.strokeRect(place.x - 5, place.y - 5, this.cellWidth + 9.5, this.cellHeight + 9.5);
    }

    // Where the active cell is, relative to the canvas; null where it is not shown.
    placeOf(index) {
      const rank = this.dims.length;
      for (let d = 0; d < rank; ++d) {
        if (index[d] < this.first[d] || index[d] >= this.first[d] + this.count[d]) return null;
      }
      if (this.line) {
        const n = index[0] - this.first[0];
        return { x: (n % this.line) * this.cellWidth, y: Math.floor(n / this.line) * this.cellHeight };
      }
      const outer = index.slice(0, Math.max(0, rank - 2)).map((i, d) => i - this.first[d]);
      const p = linear(this.count.slice(0, outer.length), outer);
      const row = rank > 1 ? index[rank - 2] - this.first[rank - 2] : 0;
      const column = rank > 0 ? index[rank - 1] - this.first[rank - 1] : 0;
      return {
        x: (p % this.across) * this.panelWidth + column * this.cellWidth,
        y: Math.floor(p / this.across) * this.panelHeight + this.header + row * this.cellHeight,
      };
    }
    outline(context, color) {
      const place = this.placeOf(this.active);
      if (!place || (document.activeElement !== this.box && !this.text)) return;
      context.strokeStyle = color;
      context.lineWidth = 1.5;
      context.strokeRect(place.x - 0.75, place.y - 0.75, this.cellWidth + 0.5, this.cellHeight + 0.5);
    }

    // Sets of linear indices by class: "lit", "may", "chosen", "near"; of values "right", "wrong".
    mark(marks, follow = true) {
      this.marks = new Map(Object.entries(marks).filter(([, set]) => set && set.size > 0));
      for (const name of ["lit", "may", "chosen", "wrong", "right"]) {
        this.box.dataset[name] = marks[name] ? marks[name].size : 0;
      }
      if (follow) {
        for (const name of ["wrong", "lit", "may", "chosen"]) {
          const set = this.marks.get(name);
          if (set) { this.show(indexOf(this.dims, Math.min(...[...set].slice(0, 1000)))); break; }
        }
      }
      this.describe();
      this.draw();
    }

    // Moves the window so that the element is in it.
    show(index) {
      let moved = false;
      this.dims.forEach((size, d) => {
        if (index[d] >= this.first[d] && index[d] < this.first[d] + this.count[d]) return;
        const first = this.count[d] === 1 ? index[d] : index[d] - Math.floor(this.count[d] / 4);
        this.first[d] = Math.max(0, Math.min(size - this.count[d], first));
        moved = true;
      });
      if (moved) this.pager();
    }

    statesOf(n) {
      const names = [["chosen", "chosen"], ["lit", "lit"], ["may", "may be read"], ["wrong", "wrong"]];
      return names.filter(([mark]) => this.marks.get(mark)?.has(n)).map(([, name]) => name);
    }

    describe() {
      const rank = this.dims.length, n = linear(this.dims, this.active);
      const states = this.statesOf(n);
      if (this.value) states.push(this.value(n));
      this.cell.textContent = `[${this.active.join(", ")}]${states.length ? ", " + states.join(", ") : ""}`;
      this.cell.setAttribute("aria-colindex", rank > 0 ? this.active[rank - 1] + 1 : 1);
      this.cell.setAttribute("aria-selected", states.includes("chosen"));
      this.row.setAttribute("aria-rowindex", rank > 1 ? this.active[rank - 2] + 1 : 1);
      this.box.dataset.active = this.active.join(",");
    }

    // Makes the element the active one, and chooses it, or the box from the anchor to it.
    choose(index, extend = false) {
      if (this.empty) return;
      if (!extend || !this.anchor) this.anchor = [...index];
      this.active = [...index];
      this.show(index);
      const first = index.map((i, d) => Math.min(i, this.anchor[d]));
      const last = index.map((i, d) => Math.max(i, this.anchor[d]));
      this.describe();
      if (this.select) this.select(first, last);
      else this.draw();
    }

    key(event) {
      const rank = this.dims.length, index = [...this.active];
      const step = (d, by) => {
        if (d < 0 || d >= rank) return;
        index[d] = Math.max(0, Math.min(this.dims[d] - 1, index[d] + by));
      };
      switch (event.key) {
        case "ArrowLeft": step(rank - 1, -1); break;
        case "ArrowRight": step(rank - 1, 1); break;
        case "ArrowUp": this.line ? step(0, -this.line) : step(rank - 2, -1); break;
        case "ArrowDown": this.line ? step(0, this.line) : step(rank - 2, 1); break;
        case "PageUp": step(rank - 3, -1); break;
        case "PageDown": step(rank - 3, 1); break;
        case "Home": if (event.ctrlKey) index.fill(0); else if (rank > 0) index[rank - 1] = 0; break;
        case "End": if (event.ctrlKey) this.dims.forEach((size, d) => (index[d] = size - 1)); else if (rank > 0) index[rank - 1] = this.dims[rank - 1] - 1; break;
        case "Enter": case " ": break;
        default: return;
      }
      event.preventDefault();
      this.choose(index, event.shiftKey);
    }

    press(event) {
      const index = this.at(event);
      if (!index) return;
      event.preventDefault();
      this.box.focus({ preventScroll: true });
      this.choose(index, event.shiftKey);
      this.dragging = true;
      const up = () => { this.dragging = false; window.removeEventListener("pointerup", up); };
      window.addEventListener("pointerup", up);
    }
    move(event) {
      const index = this.at(event);
      this.hover(index, event);
      if (index && this.dragging && index.join() !== this.active.join()) this.choose(index, true);
    }
    hover(index, event) {
      if (index && !this.empty) {
        const n = linear(this.dims, index), states = this.statesOf(n);
        Rulers.tip.show([`[${index.join(", ")}]${this.value ? " = " + this.value(n) : ""}`, states.join(", "), this.about?.(n, states)], event.clientX, event.clientY);
      } else {
        Rulers.tip.hide();
      }
      this.info.textContent = index ? `[${index.join(", ")}]${this.value ? " = " + this.value(linear(this.dims, index)) : ""}` : this.summary ?? "";
    }
    summarize(text) {
      this.summary = text;
      this.info.textContent = text;
    }
  }

  return { ArrayGrid, linear, indexOf, product };
})();
