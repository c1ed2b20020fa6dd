// The LLVM IR of a kernel. A line that touches memory is a button that chooses its access; the chosen
// access marks its line.
const Source = (() => {
  const { el } = Dom;

  class SourcePane {
    // `choose(group)`: the number of an access of the kernel; null: no access can be chosen.
    constructor(kernel, choose) {
      this.groups = new Map();
      (kernel.groups ?? []).forEach((group, k) => {
        if (!this.groups.has(group.line)) this.groups.set(group.line, []);
        this.groups.get(group.line).push(k);
      });
      this.choose = choose;
      this.lines = new Map();
      const shown = kernel.source.reduce((sum, part) => sum + part.lines.length, 0);
      this.box = el("div", { class: "llvm", tabindex: 0, role: "region", "aria-label": "Lines of LLVM IR" }, kernel.source.map((part, n) => [
        n > 0 ? el("div", { class: "equal-lines" }, `${part.first - kernel.source[n - 1].first - kernel.source[n - 1].lines.length} lines left out`) : null,
        part.lines.map((text, k) => this.line(part.first + k, text))]));
      this.node = el("details", { id: "llvm", open: true }, el("summary", {}, "LLVM IR", shown < kernel.source_lines ? ` (${shown} of ${kernel.source_lines} lines)` : ""), this.box);
    }

    line(number, text) {
      const content = [el("span", { class: "line" }, `${number}`), el("code", {}, text)];
      const groups = this.choose && this.groups.get(number);
      const node = groups ? el("button", { type: "button", class: "ir access", "data-line": number, onclick: () => this.pick(groups) }, content) : el("div", { class: "ir", "data-line": number }, content);
      this.lines.set(number, node);
      return node;
    }
    // A line with several accesses gives the one behind the chosen one.
    pick(groups) {
      this.choose(groups[(groups.indexOf(this.group) + 1) % groups.length]);
    }

    select(group, line) {
      this.group = group;
      this.chosen?.removeAttribute("aria-current");
      this.chosen = this.lines.get(line);
      if (!this.chosen) return;
      this.chosen.setAttribute("aria-current", "true");
      // Only this pane scrolls.
      const top = this.chosen.offsetTop, height = this.box.clientHeight;
      if (top < this.box.scrollTop || top + this.chosen.offsetHeight > this.box.scrollTop + height) this.box.scrollTop = Math.max(0, top - height / 3);
    }
  }

  return { SourcePane };
})();
