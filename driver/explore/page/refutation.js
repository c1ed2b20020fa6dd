// Refutations, with expected and actual values; and other findings, or claims that stayed open.
const RefutationPanel = (() => {
  const { el, badge, mapText } = Dom;
  const { ArrayGrid, indexOf } = Grid;

  class RefutationView {
    constructor(box, app) {
      this.box = box;
      this.app = app;
    }

    show() {
      const module = this.app.module;
      this.box.replaceChildren(el("h2", {}, "What is wrong"));
      const all = module.refutations ?? [];
      if (all.length === 0 && !(module.findings ?? []).some((f) => f.kind !== "UNKNOWN")) {
        // Emitters' maps and buffers of a dump have no drawing.
        if (module.status === 1) this.box.append(el("p", { class: "note" }, "Something is wrong that is not drawn on this page. It is said by ", el("code", {}, module.replay)));
        else this.box.append(el("p", { class: "muted" }, module.checked ? "Nothing that was looked at is wrong." : "Nothing was checked."));
      }
      all.forEach((one) => this.box.append(this.refutation(module, one)));
      this.findings(module);
    }

    refutation(module, one) {
      if (one.maps) return this.map(module, one);
      const where = one.kernel !== undefined ? `kernel ${module.kernels[one.kernel].name}` : `pass ${one.reason}`;
      const section = el("section", { class: "refutation", "aria-label": `${one.claim} of ${where}` },
        el("h3", {}, badge("refuted"), " ", one.claim, " ", el("span", { class: "muted" }, where)));
      if (one.kernel !== undefined) section.append(el("p", {}, one.reason));
      // Both values; or, for a place outside of its array, the range of places.
      const outside = one.at && (one.at.element < 0 || one.at.element >= Grid.product(one.at.dims));
      const [expected, actual] = one.expected ? [one.expected, one.actual]
        : outside ? [`0 to ${Grid.product(one.at.dims) - 1}`, `${one.at.element}`] : [];
      if (expected) {
        const names = one.pass !== undefined ? ["before the pass", "behind it"] : one.expected ? ["expected", "actual"] : ["expected: an element", "actual: element"];
        section.append(el("div", { class: "against" },
          el("div", { class: "value expected" }, el("span", {}, names[0]), el("strong", {}, expected)),
          el("div", { class: "value actual" }, el("span", {}, names[1]), el("strong", {}, actual))));
      }
      const facts = [];
      if (one.at) facts.push(["element", one.at.element >= 0 && one.at.element < Grid.product(one.at.dims) ? `[${indexOf(one.at.dims, one.at.element).join(", ")}] of ${one.at.array}` : `${one.at.element} of ${one.at.array}, which has ${Grid.product(one.at.dims)}`]);
      if (one.block >= 0) facts.push(["block", one.block]);
      if (one.thread >= 0) facts.push(["thread", `${one.thread}, lane ${one.thread % 32} of warp ${Math.floor(one.thread / 32)}`]);
      if (one.line > 0) facts.push(["line " + one.line, el("code", {}, one.instruction)]);
      for (const text of one.arguments ?? []) facts.push(["argument", el("code", {}, text)]);
      if (facts.length) section.append(el("dl", { class: "facts" }, facts.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])));
      if (one.kernel !== undefined && module.kernels[one.kernel].cases && one.block >= 0) {
        section.append(el("button", { type: "button", class: "link", onclick: () => this.app.showThread(one) }, "what this thread touches"));
      }
      if (one.pass !== undefined && module.passes[one.pass]?.diff) {
        section.append(el("button", { type: "button", class: "link", onclick: () => this.app.showPass(one.pass) }, "the HLO before and after"));
      }
      if (one.at) section.append(this.drawing(one));
      return section;
    }

    // A map: the element, what it should lead to, and what it leads to.
    map(module, one) {
      const section = el("section", { class: "refutation", "aria-label": `${one.claim}: ${one.reason}` },
        el("h3", {}, badge("refuted"), " ", one.claim, " ", el("span", { class: "muted" }, one.reason)),
        el("dl", { class: "maps" }, one.maps.map((text) => [el("dt", {}, "the map"), el("dd", {}, mapText(text))])),
        el("button", { type: "button", class: "link", onclick: () => this.app.showMaps(one.instruction) }, "the instruction"));
      if (!one.from) {
        section.append(el("p", { class: "detail" }, one.detail));
        return section;
      }
      const { from, to, wanted, given } = one;
      section.append(el("div", { class: "against" },
        el("div", { class: "value expected" }, el("span", {}, "expected"), el("strong", {}, elementsText(wanted, one.all_wanted))),
        el("div", { class: "value actual" }, el("span", {}, "actual"), el("strong", {}, elementsText(given, one.all_given)))),
      el("dl", { class: "facts" }, el("dt", {}, "element"), el("dd", {}, `[${indexOf(from.dims, from.element).join(", ")}] of ${from.array}`)));
      const elements = (list) => new Set(list.filter((index) => index.every((i, d) => i >= 0 && i < to.dims[d])).map((index) => Grid.linear(to.dims, index)));
      const should = elements(wanted), does = elements(given);
      const without = (set, other) => new Set([...set].filter((n) => !other.has(n)));
      // Long lists are cut off: an element that one lacks may be in the rest of the other.
      const missing = one.all_given ? without(should, does) : new Set(), added = one.all_wanted ? without(does, should) : new Set();
      const pair = el("div", { class: "pair refuted" });
      for (const [title, marks] of [["expected", { right: missing, lit: without(should, missing) }], ["actual", { wrong: added, lit: without(does, added) }]]) {
        const grid = new ArrayGrid({ title: `${title}: ${to.array}`, dims: to.dims, shape: to.shape, width: this.app.gridWidth(), hint: `what ${title === "expected" ? "should be" : "is"} reached from the element` });
        grid.mark(marks);
        pair.append(grid.node);
      }
      const source = new ArrayGrid({ title: from.array, dims: from.dims, shape: from.shape, width: this.app.gridWidth(), hint: "the element" });
      source.mark({ chosen: new Set([from.element]) });
      pair.prepend(source.node);
      section.append(pair, el("p", { class: "legend" }, el("span", { class: "key chosen" }), "the element ", el("span", { class: "key right" }), "missing in the map ", el("span", { class: "key wrong" }), "wrong in the map ",
        el("span", { class: "key lit" }), "in both"));
      return section;
    }

    drawing(one) {
      const { dims, shape, element, values } = one.at;
      const inside = element >= 0 && element < Grid.product(dims);
      if (!values) {
        if (!inside) return el("span");
        const grid = new ArrayGrid({ title: one.at.array, dims, shape, width: this.app.gridWidth(), hint: "the wrong element" });
        grid.mark({ wrong: new Set([element]) });
        return grid.node;
      }
      const { from, expected, actual } = values;
      const about = (n) => expected[n - from] === undefined ? "its value is not on this page" : expected[n - from] === actual[n - from] ? "✓ equal" : `✗ refuted: ${expected[n - from]} expected, ${actual[n - from]} actual`;
      const wrong = new Set();
      expected.forEach((value, k) => { if (value !== actual[k]) wrong.add(from + k); });
      const pair = el("div", { class: "pair refuted" });
      for (const [title, list, marks] of [["expected", expected, { right: wrong }], ["actual", actual, { wrong }]]) {
        const grid = new ArrayGrid({ title, dims, shape, text: (n) => shorten(list[n - from] ?? "…"), about, width: this.app.gridWidth(), hint: `${wrong.size} elements differ` });
        grid.mark(marks, false);
        grid.active = indexOf(dims, element);
        grid.show(grid.active);
        grid.describe();
        grid.draw();
        grid.summarize(title === "actual" ? `${wrong.size} of ${expected.length} elements differ` : "");
        pair.append(grid.node);
      }
      return pair;
    }

    findings(module) {
      const findings = module.findings ?? [], open = module.not_covered ?? [], passes = module.passes ?? [];
      if (findings.length) {
        this.box.append(el("h3", {}, "Findings of the check"), el("ul", { class: "findings" }, findings.map((f) =>
          el("li", {}, badge(f.kind.toLowerCase()), " ", f.text, el("pre", { class: "hlo" }, el("code", {}, f.replay))))));
      }
      if (open.length) this.box.append(el("h3", {}, "Not covered"), el("ul", { class: "findings" }, open.map((text) => el("li", {}, text))));
      if (passes.length) {
        this.box.append(el("h3", {}, "Passes that ran"), el("table", { class: "plain" }, el("thead", {}, el("tr", {}, ["pipeline", "pass", "verdict", ""].map((h) => el("th", { scope: "col" }, h)))),
          el("tbody", {}, passes.filter((p) => p.changed || p.verdict === "refuted").map((p) =>
            el("tr", {}, el("td", {}, p.pipeline), el("td", {}, p.diff ? el("button", { type: "button", class: "link", onclick: () => this.app.showPass(passes.indexOf(p)) }, p.pass) : p.pass), el("td", {}, badge(p.verdict)), el("td", { class: "muted" }, p.reason ?? ""))))));
      }
    }
  }

  // "[0, 1], [0, 2] and more"
  function elementsText(list, all) {
    const text = list.map((index) => `[${index.join(", ")}]`).join(", ");
    return (text || "nothing") + (all ? "" : " and more");
  }

  function shorten(text) {
    if (text.length <= 8) return text;
    const number = Number(text);
    return Number.isFinite(number) ? String(Number(number.toPrecision(4))) : text.slice(0, 7) + "…";
  }

  return { RefutationView };
})();
