// The passes of a dump: the HLO before one and after it, side by side (driver/explore/line_diff.h).
const PassesPanel = (() => {
  const { el, badge, label, plural, say } = Dom;

  // The characters of two lines, and the numbers of equal ones at both ends.
  function equalEnds(a, b) {
    const x = [...a], y = [...b], most = Math.min(x.length, y.length);
    let head = 0, tail = 0;
    while (head < most && x[head] === y[head]) ++head;
    while (tail < most - head && x[x.length - 1 - tail] === y[y.length - 1 - tail]) ++tail;
    return { x, y, head, tail };
  }
  const marked = (characters, head, tail) => {
    const end = characters.length - tail;
    return el("code", {}, characters.slice(0, head).join(""), end > head ? el("mark", {}, characters.slice(head, end).join("")) : null, characters.slice(end).join(""));
  };

  class PassesView {
    constructor(box, app) {
      this.box = box;
      this.app = app;
    }

    static shown(module) { return (module.passes ?? []).some((pass) => pass.diff || pass.changed || pass.verdict === "refuted"); }

    // The number of the pass that the panel opens with: a refuted one, else the first that has a diff.
    first() {
      const passes = this.app.module.passes ?? [];
      const refuted = passes.findIndex((pass) => pass.verdict === "refuted");
      return refuted >= 0 ? refuted : Math.max(0, passes.findIndex((pass) => pass.diff));
    }
    address() { return this.module === this.app.module && this.number !== this.first() ? { pass: this.number } : {}; }
    restore(values) {
      const passes = this.app.module.passes ?? [], number = Address.number(values.pass, passes.length);
      this.module = this.app.module;
      this.number = number ?? this.first();
      this.change = 0;
    }

    show(op, wanted) {
      if (this.module !== this.app.module) this.restore({});
      if (wanted?.pass !== undefined) this.restore({ pass: String(wanted.pass) });
      this.render();
    }
    choose(number) {
      if (number === this.number) return;
      this.number = number;
      this.change = 0;
      this.render();
      this.box.querySelector(`[data-pass="${number}"]`)?.focus({ preventScroll: true });
      this.app.changed(true);
    }

    render() {
      const passes = this.module.passes ?? [];
      const listed = passes.map((pass, k) => k).filter((k) => passes[k].diff || passes[k].changed || passes[k].verdict === "refuted");
      const same = passes.length - listed.length;
      this.box.replaceChildren(el("h2", {}, "Passes"));
      if (same > 0) this.box.append(el("p", { class: "muted" }, listed.length === 0 ? `None of ${plural(passes.length, "pass", "passes")} changes the HLO.` : `${plural(same, "more pass", "more passes")} ${same === 1 ? "changes" : "change"} nothing.`));
      if (listed.length === 0) return;
      this.box.append(el("ol", { class: "passes", "aria-label": "Passes that change the HLO" }, listed.map((k) => el("li", {},
        el("button", { type: "button", "data-pass": k, "aria-pressed": k === this.number, onclick: () => this.choose(k) },
          badge(passes[k].verdict), " ", passes[k].pass, " ", el("span", { class: "muted" }, passes[k].pipeline),
          passes[k].diff ? el("span", { class: "counts" }, ` −${passes[k].diff.removed} +${passes[k].diff.added}`) : null)))));
      const pass = passes[this.number];
      this.box.append(el("div", { class: "head" }, el("h3", {}, pass.pass), badge(pass.verdict), pass.changed ? null : label("the graph is the same")));
      if (pass.reason) this.box.append(el("p", { class: "muted" }, pass.reason));
      if (pass.diff) this.diff(pass, pass.diff);
      else this.box.append(el("p", { class: "muted" }, "The texts of both files are the same, or could not be read."));
    }

    diff(pass, diff) {
      this.changes = [];
      const body = el("tbody");
      let last = null;
      for (const row of diff.rows) {
        const node = this.row(row);
        body.append(node);
        const isChange = row.length === 4;
        if (isChange && !last) this.changes.push([]);
        if (isChange) this.changes.at(-1).push(node);
        last = isChange ? node : null;
      }
      const table = el("table", { class: "diff", "aria-label": `${pass.pass}: HLO before and after` },
        el("caption", {}, `${plural(diff.removed, "line")} removed, ${plural(diff.added, "line")} added; ${diff.lines[0].toLocaleString("en")} lines before, ${diff.lines[1].toLocaleString("en")} after`),
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, el("span", { class: "visually-hidden" }, "line")), el("th", { scope: "col" }, "before ", el("code", {}, pass.before)),
          el("th", { scope: "col" }, el("span", { class: "visually-hidden" }, "line")), el("th", { scope: "col" }, "after ", el("code", {}, pass.after)))), body);
      if (this.changes.length > 0) {
        this.stepper = Dom.stepper({ name: "Change", count: this.changes.length, value: Math.min(this.change, this.changes.length - 1), change: (k) => this.toChange(k), format: (k) => `change ${k + 1} of ${this.changes.length}` });
        this.box.append(el("div", { class: "bar" }, this.stepper));
      }
      if (diff.left_out) this.box.append(el("p", { class: "note" }, `${plural(diff.left_out, "row")} with changes ${diff.left_out === 1 ? "is" : "are"} left out, so that the page stays small.`));
      this.box.append(el("div", { class: "diff-box", tabindex: 0, role: "region", "aria-label": "Lines" }, table));
    }

    toChange(k) {
      this.change = k;
      this.changes.forEach((rows, n) => rows.forEach((row) => (n === k ? row.setAttribute("aria-current", "true") : row.removeAttribute("aria-current"))));
      this.changes[k][0].scrollIntoView({ block: "center" });
      say(`Change ${k + 1}: ${plural(this.changes[k].length, "row")}`);
    }

    row(row) {
      if (row.length === 1) return el("tr", { class: "equal-lines" }, el("td", { colspan: 4 }, plural(row[0], "equal line")));
      const [before, after, was, is] = row;
      const number = (n) => el("td", { class: "line" }, n ? `${n}` : "");
      const hidden = (text) => el("span", { class: "visually-hidden" }, text);
      if (row.length === 3) return el("tr", {}, number(before), el("td", {}, el("code", {}, was)), number(after), el("td", {}, el("code", {}, was)));
      if (was === null) return el("tr", { class: "changed" }, number(0), el("td", { class: "none" }), number(after), el("td", { class: "added" }, hidden("added: "), el("code", {}, is)));
      if (is === null) return el("tr", { class: "changed" }, number(before), el("td", { class: "removed" }, hidden("removed: "), el("code", {}, was)), number(0), el("td", { class: "none" }));
      const { x, y, head, tail } = equalEnds(was, is);
      return el("tr", { class: "changed" }, number(before), el("td", { class: "removed" }, hidden("removed: "), marked(x, head, tail)), number(after), el("td", { class: "added" }, hidden("added: "), marked(y, head, tail)));
    }
  }

  return { PassesView };
})();
