// The panel of an instruction: its maps both ways with their proofs, and arrays in which an element,
// or a tile, lights up what it reads or where it goes; and how composed maps were simplified.
const MapsPanel = (() => {
  const { el, badge, label, plural, mapText, stepper, say } = Dom;
  const { ArrayGrid, linear, product } = Grid;
  const kMostElements = 4096, kMostChoices = 400_000;

  const exactnessBadge = (exactness) =>
    el("span", { class: "badge " + (exactness === "exact" ? "ok" : "open"), title: {
      exact: "The set of the map is what is read", "over-approximate": "The set of the map contains what is read",
      unknown: "Nothing is claimed" }[exactness] }, exactness);

  // The elements of a box, the first so many.
  function* boxElements(first, last) {
    let left = kMostElements;
    const index = [...first];
    while (left-- > 0) {
      yield index;
      let d = index.length - 1;
      while (d >= 0 && ++index[d] > last[d]) index[d] = first[d], --d;
      if (d < 0) return;
    }
  }

  // How many choices of variables there are for one element.
  const choicesOf = (map, chosen) => [...(map.ranges ?? []), ...(map.runtime ?? []).filter((v, i) => chosen[i] === undefined).map((v) => v.bounds)]
    .reduce((n, [lower, upper]) => n * Math.max(1, Number(upper) - Number(lower) + 1), 1);

  // The image of the box of elements under labeled maps: {lit, may, outside, complete}. `outside`
  // counts results that are no elements of the array.
  function imageOf(module, labeled, first, last, runtime, dims) {
    const lit = new Set(), may = new Set();
    const size = first.reduce((n, i, d) => n * (last[d] - i + 1), 1);
    let complete = size <= kMostElements, left = kMostChoices, outside = 0;
    for (const one of labeled) {
      const map = module.maps[one.map];
      const chosen = (map.runtime ?? []).map((v) => (v.fixed ? v.bounds[0] : runtime.get(runtimeKey(v))));
      const open = chosen.some((value) => value === undefined);
      const into = one.exactness === "exact" && !open ? lit : may;
      const choices = choicesOf(map, chosen);
      for (const index of boxElements(first, last)) {
        const all = Maps.image(map, index, chosen, left, (result) => {
          if (result.every((x, d) => x >= 0 && x < dims[d])) into.add(linear(dims, result));
          else ++outside;
        });
        complete = complete && all;
        left -= choices;
        if (left <= 0) break;
      }
      complete = complete && left > 0;
    }
    for (const n of lit) may.delete(n);
    return { lit, may, outside, complete };
  }

  const runtimeKey = (v) => `${v.producer ?? v.name} at ${v.at ?? ""}`;
  const boxText = (first, last) => first.join() === last.join() ? `[${first.join(", ")}]` : `[${first.map((i, d) => (i === last[d] ? i : `${i}:${last[d] + 1}`)).join(", ")}]`;

  class InstructionView {
    constructor(box, app) {
      this.box = box;
      this.app = app;
      this.runtime = new Map();
    }

    show(op) {
      const restored = this.restored?.op === op ? this.restored.values : null;
      this.restored = null;
      if (restored) this.openAt(op, restored);
      else if (this.op === op && this.module === this.app.module) this.render(this.place);
      else this.open(op);
    }
    // Shows an instruction from its beginning, or at a place: {operand, first, last}, where the operand
    // is null for an element of the result.
    open(op, { output, source, place } = {}) {
      this.op = op;
      this.module = this.app.module;
      this.runtime.clear();
      this.refuted = Start.refuted(this.module, op);
      this.output = output ?? this.refuted?.output ?? 0;
      this.source = source ?? this.firstSource();
      this.render(place);
    }
    firstSource() { return this.op.output_to_input?.length && this.op.operands.length ? "operands" : "result"; }

    address() {
      if (this.op !== this.app.op) return {};
      const { operand, first, last } = this.place ?? {}, at = this.place ? [operand, Address.elementText(first, last)] : [];
      const isFirst = at.join("|") === (this.opensWith ?? "");
      return {
        between: !this.sources || this.source === this.sources[0][0] ? undefined : this.source,
        result: this.output === (this.refuted?.output ?? 0) ? undefined : this.output,
        operand: isFirst ? undefined : operand ?? undefined,
        element: isFirst ? undefined : at[1],
      };
    }
    // The panel may be hidden: it is drawn when it is shown.
    restore(values) { this.restored = { op: this.app.op, values }; }
    openAt(op, { between, result, operand, element }) {
      const from = between === "result" ? this.app.module.byId.get(this.app.computation.root) : op;
      const output = Address.number(result, from.arrays.length) ?? Start.refuted(this.app.module, op)?.output ?? 0;
      const k = Address.number(operand, between === "result" ? 0 : op.operands.length) ?? null;
      const array = k === null ? from.arrays[output] : this.app.module.byId.get(op.operands[k]).arrays[op.output_to_input?.[output]?.[k]?.[0]?.leaf ?? 0];
      const tile = element !== undefined && array?.dims ? Address.element(element, array.dims) : null;
      this.open(op, { output, source: between === "result" ? between : undefined, place: tile && { operand: k, first: tile[0], last: tile[1] } });
    }

    render(place) {
      const op = this.op, computation = this.module.computationOf(op);
      this.place = this.opensWith = null;
      const row = op.ledger;
      const state = this.module.stateOf(op);
      const head = el("div", { class: "head" }, el("h2", {}, op.name),
        label(op.opcode), op.id === computation.root ? label("result") : null,
        state === "none" ? null : badge(state, "of its maps"),
        row ? label("value: " + row.value, row.by ? "by the kernel of " + row.by : "") : null);
      const links = el("p", { class: "links" });
      for (const called of op.called ?? []) {
        const other = this.module.computations[called];
        links.append(el("button", { type: "button", class: "link", onclick: () => this.app.open(other) }, "open " + other.name));
      }
      if (this.module.kernelsOf(op.id).length > 0) {
        links.append(el("button", { type: "button", class: "link", onclick: () => this.app.tab("kernel") }, "its kernel"));
      }
      if (row?.why) links.append(el("span", { class: "muted" }, row.why));
      this.box.replaceChildren(head, el("pre", { class: "hlo" }, el("code", {}, op.text)), links);
      const arrays = this.arrays();
      if (arrays) this.box.append(arrays);
      this.box.append(this.mapTables());
      if (arrays && this.outputGrid && !this.outputGrid.empty && this.status) this.begin(place);
      this.app.changed(false);
    }

    // Chooses the place, or else an element that shows something.
    begin(place) {
      const isFrom = this.source === "operands" ? this.op : this.module.byId.get(this.module.computationOf(this.op).root);
      const refuted = isFrom === this.op && this.refuted?.output === this.output ? this.refuted : null;
      const operands = this.operandGrids.map(({ k, leaf, grid }) => {
        const to = (list) => (list ?? []).filter((one) => (one.leaf ?? 0) === leaf);
        return { dims: grid.dims, maps: to(this.labeled(Math.max(k, 0))), back: k < 0 ? [] : to(this.op.input_to_output?.[k]?.[this.output]) };
      });
      const index = refuted?.index ?? Start.element(this.module, this.outputGrid.dims, operands);
      const first = { operand: refuted?.operand ?? null, first: index, last: index };
      const gridOf = (operand) => (operand === null ? this.outputGrid : this.operandGrids.find((one) => one.k === operand)?.grid);
      this.opensWith = [first.operand, Address.elementText(index, index)].join("|");
      const at = place && gridOf(place.operand) && !gridOf(place.operand).empty ? place : first;
      const grid = gridOf(at.operand) ?? this.outputGrid;
      grid.choose(at.first);
      if (at.first.join() !== at.last.join()) grid.choose(at.last, true);
    }

    // The compositions from the result of the computation to here, by output of the result.
    compositions() {
      const computation = this.module.computationOf(this.op);
      return (computation.compositions ?? []).map((of) => of[this.op.id] ?? []);
    }

    arrays() {
      this.outputGrid = this.status = null;
      const op = this.op, computation = this.module.computationOf(op), root = this.module.byId.get(computation.root);
      const sources = [];
      this.sources = null;
      if (op.operands.length > 0 && op.arrays.some((a) => a.dims) && op.output_to_input?.some((list) => list.some((m) => m.length))) {
        sources.push(["operands", `${op.name} and its operands`]);
      }
      if (op.id !== root.id && this.compositions().some((list) => list.length > 0)) {
        sources.push(["result", `the result ${root.name} and ${op.name}`]);
      }
      if (sources.length === 0) return el("p", { class: "muted" }, op.operands.length === 0 ? "It has no operands: it reads nothing." : "No map between arrays is known.");
      this.sources = sources;
      if (!sources.some(([name]) => name === this.source)) this.source = sources[0][0];
      const section = el("section", { class: "arrays", "aria-label": "Elements" });
      const controls = el("div", { class: "bar" });
      if (sources.length > 1) {
        controls.append(el("span", { class: "group", role: "group", "aria-label": "Between" }, sources.map(([name, text]) =>
          el("button", { type: "button", "aria-pressed": name === this.source, onclick: () => { this.source = name; this.render(); } }, text))));
      }
      const from = this.source === "operands" ? op : root;
      const outputs = from.arrays.filter((a) => a.dims).length;
      if (outputs > 1) {
        const choice = el("select", { id: "output", onchange: () => { this.output = Number(choice.value); this.render(); } },
          from.arrays.map((array, k) => array.dims ? el("option", { value: k, selected: k === this.output }, `${k}: ${array.shape}`) : null));
        controls.append(el("label", {}, "Result ", choice));
      }
      section.append(controls, this.runtimeControls());
      this.status = el("p", { class: "reads", id: "reads" }, "Choose an element: click it, or go there with the arrow keys. With Shift, a tile.");
      const pair = el("div", { class: "pair" });
      section.append(this.status, pair);
      this.outputGrid = this.gridOf(from, this.output, `${from.name}`, (first, last) => this.fromOutput(first, last), "choose what is read for it", () => this.verdictLine(null));
      pair.append(this.outputGrid?.node ?? el("p", { class: "muted" }, "The result is no array."));
      this.operandGrids = [];
      if (this.source === "operands") {
        op.operands.forEach((id, k) => {
          const operand = this.module.byId.get(id);
          const leaf = op.output_to_input[this.output]?.[k]?.[0]?.leaf ?? 0;
          const grid = this.gridOf(operand, leaf, `${operand.name}`, (first, last) => this.fromOperand(k, leaf, first, last), "choose where it goes", () => this.verdictLine(k));
          if (!grid) return;
          this.operandGrids.push({ k, leaf, grid });
          pair.append(grid.node);
        });
      } else {
        const leaf = this.compositions()[this.output]?.[0]?.leaf ?? 0;
        const grid = this.gridOf(op, leaf, op.name, null, "");
        if (grid) {
          this.operandGrids.push({ k: -1, leaf, grid });
          pair.append(grid.node);
        }
      }
      section.append(el("p", { class: "legend" },
        el("span", { class: "key chosen" }), "chosen ", el("span", { class: "key lit" }), "read, exactly ",
        el("span", { class: "key may" }), "may be read: the map is over-approximate, or a runtime value is open"));
      return section;
    }

    gridOf(op, leaf, title, select, hint, about) {
      const array = op.arrays[leaf];
      if (!array?.dims) return null;
      return new ArrayGrid({ title, dims: array.dims, shape: array.shape, select, hint, about, value: valuesOf(op), width: this.app.gridWidth() });
    }
    // The weakest verdict on the maps to operand k, null: to all operands.
    verdictLine(k) {
      const proofs = (this.op.proofs ?? []).filter((p) => this.source === "operands" && p.output === this.output && (k === null || p.operand === k));
      const verdict = ["refuted", "unknown", "proved"].find((one) => proofs.some((p) => p.verdict === one));
      return verdict ? `map${k === null ? "s" : ""} ${verdict}` : "";
    }

    labeled(k) {
      return this.source === "operands" ? this.op.output_to_input[this.output]?.[k] ?? [] : this.compositions()[this.output] ?? [];
    }

    runtimeControls() {
      const variables = new Map();
      const lists = this.source === "operands" ? this.op.output_to_input.flat() : this.compositions();
      for (const one of lists.flat()) {
        for (const v of this.module.maps[one.map].runtime ?? []) if (!v.fixed) variables.set(runtimeKey(v), v);
      }
      if (variables.size === 0) return el("span");
      return el("fieldset", { class: "runtime" }, el("legend", {}, "Runtime variables"),
        [...variables].map(([key, v]) => {
          const number = el("input", { type: "number", min: v.bounds[0], max: v.bounds[1], value: this.runtime.get(key) ?? "", placeholder: "any",
            "aria-label": `${v.name}, read from ${v.producer ?? "?"}; empty: any value`, onchange: () => {
              if (number.value === "") this.runtime.delete(key);
              else this.runtime.set(key, Math.max(v.bounds[0], Math.min(v.bounds[1], Number(number.value))));
              this.again?.();
            } });
          return el("label", {}, el("code", {}, v.name), ` in [${v.bounds.join(", ")}]`, v.producer ? ` from ${v.producer} ` : " ", number);
        }));
    }

    fromOutput(first, last) {
      this.chose(null, first, last);
      this.again = () => this.fromOutput(first, last);
      this.outputGrid.mark({ chosen: boxSet(this.outputGrid.dims, first, last) }, false);
      const parts = [];
      for (const { k, leaf, grid } of this.operandGrids) {
        const labeled = this.labeled(Math.max(k, 0)).filter((one) => (one.leaf ?? 0) === leaf);
        const image = imageOf(this.module, labeled, first, last, this.runtime, grid.dims);
        grid.mark({ lit: image.lit, may: image.may });
        grid.summarize(countText(image, product(grid.dims)));
        parts.push(`${countText(image)} of ${grid.title}`);
      }
      const what = first.join() === last.join() ? "Element" : "Tile";
      this.tell(`${what} ${boxText(first, last)} of ${this.outputGrid.title} reads ${parts.join("; ")}.`);
    }

    fromOperand(k, leaf, first, last) {
      this.chose(k, first, last);
      this.again = () => this.fromOperand(k, leaf, first, last);
      const labeled = (this.op.input_to_output[k]?.[this.output] ?? []).filter((one) => (one.leaf ?? 0) === leaf);
      const image = imageOf(this.module, labeled, first, last, this.runtime, this.outputGrid.dims);
      for (const other of this.operandGrids) {
        other.grid.summarize("");
        other.grid.mark(other.k === k ? { chosen: boxSet(other.grid.dims, first, last) } : {}, false);
      }
      this.outputGrid.mark({ lit: image.lit, may: image.may });
      const name = this.operandGrids.find((one) => one.k === k).grid.title;
      const what = first.join() === last.join() ? "Element" : "Tile";
      this.tell(`${what} ${boxText(first, last)} of ${name} goes into ${countText(image)} of ${this.outputGrid.title}.`);
    }

    chose(operand, first, last) {
      this.place = { operand, first, last };
      this.app.changed(false);
    }

    tell(text) {
      this.status.textContent = text;
      say(text);
    }

    mapTables() {
      const op = this.op, section = el("section", { "aria-label": "Indexing maps" });
      const list = (title, note, rows) => {
        if (rows.length === 0) return;
        section.append(el("h3", {}, title), el("p", { class: "muted" }, note), el("dl", { class: "maps" }, rows));
      };
      const proofOf = (output, k) => (op.proofs ?? []).filter((p) => p.output === output && p.operand === k);
      const name = (id) => this.module.byId.get(id)?.name ?? "?";
      const one = (labeled, badges) => el("dd", {}, mapText(this.module.maps[labeled.map].text), el("span", { class: "badges" }, exactnessBadge(labeled.exactness), badges),
        labeled.replica ? el("div", { class: "muted" }, "replica id: ", mapText(labeled.replica)) : null,
        (this.module.maps[labeled.map].runtime ?? []).map((v) => v.producer ? el("div", { class: "muted" }, `${v.name}: ${v.producer}`, v.at ? [" at ", mapText(v.at)] : null) : null));
      const proofBadges = (proofs, of) => proofs.map((p) => {
        const proof = of ? p[of] : p;
        return proof ? el("span", {}, badge(proof.verdict, "the map is what the operation reads"), " ", el("span", { class: "engine" }, proof.engine ?? ""), proof.detail ? el("div", { class: "detail" }, proof.detail) : null) : null;
      });
      const rows = [];
      (op.output_to_input ?? []).forEach((operands, output) => operands.forEach((labeled, k) => {
        rows.push(el("dt", {}, `${op.arrays.length > 1 ? `result ${output} ` : ""}reads `, el("strong", {}, name(op.operands[k]))));
        if (labeled.length === 0) rows.push(el("dd", { class: "muted" }, "nothing"));
        const proofs = proofOf(output, k);
        labeled.forEach((m, n) => rows.push(one(m, n === 0 ? proofBadges(proofs) : null)));
      }));
      list("Output to input", "The elements of the operands that an element of the result reads.", rows);
      const forward = [];
      (op.input_to_output ?? []).forEach((outputs, k) => outputs.forEach((labeled, output) => {
        if (labeled.length === 0 && outputs.length > 1) return;
        forward.push(el("dt", {}, el("strong", {}, name(op.operands[k])), ` goes into${outputs.length > 1 ? ` result ${output}` : ""}`));
        if (labeled.length === 0) forward.push(el("dd", { class: "muted" }, "nothing"));
        labeled.forEach((m, n) => forward.push(one(m, n === 0 ? proofBadges(proofOf(output, k), "input_to_output") : null)));
      }));
      list("Input to output", "The elements of the result that an element of an operand goes into.", forward);
      const compositions = this.compositions().flat();
      if (compositions.length > 0 && op.id !== this.module.computationOf(op).root) {
        const root = name(this.module.computationOf(op).root);
        list(`From the result ${root}`, "The maps on the way, one after the other, and simplified.",
          compositions.map((c) => one(c, el("button", { type: "button", class: "link", onclick: () => this.app.tab("steps") }, plural(c.steps.length, "step")))));
      }
      return section;
    }
  }

  // The values of a constant, where its text has them all.
  function valuesOf(op) {
    if (op.opcode !== "constant" || op.arrays.length !== 1 || !op.arrays[0].dims) return undefined;
    const values = (/ constant\(([^()]*)\)/.exec(op.text)?.[1] ?? "").replace(/[{}\s]/g, "").split(",");
    return values.length === product(op.arrays[0].dims) && values[0] !== "" ? (n) => values[n] : undefined;
  }
  function boxSet(dims, first, last) {
    const set = new Set();
    for (const index of boxElements(first, last)) set.add(linear(dims, index));
    return set;
  }
  function countText({ lit, may, outside, complete }, of) {
    const parts = [];
    if (lit.size > 0 || may.size === 0) parts.push(plural(lit.size, "element"));
    if (may.size > 0) parts.push(`perhaps ${plural(may.size, "element")}`);
    if (outside > 0) parts.push(`${plural(outside, "place")} outside of the array`);
    return (complete ? "" : "more than ") + parts.join(", ") + (of ? ` of ${of.toLocaleString("en")}` : "");
  }

  // A simplification, step by step.
  class StepsView {
    constructor(box, app) {
      this.box = box;
      this.app = app;
    }

    show(op) {
      const module = this.app.module, computation = module.computationOf(op);
      const root = module.byId.get(computation.root);
      const all = (computation.compositions ?? []).flatMap((of) => of[op.id] ?? []);
      this.box.replaceChildren(el("h2", {}, `From ${root.name} to ${op.name}`));
      if (all.length === 0) {
        this.box.append(el("p", { class: "muted" }, computation.compositions ? "The result does not need it, or no map is known." : "The computation is too large: its compositions are not on this page."));
        return;
      }
      all.forEach((one, n) => this.box.append(this.composition(module, one, n)));
    }

    composition(module, one, n) {
      const section = el("section", { class: "composition", "aria-label": `Composition ${n + 1}` });
      if (one.of === undefined) {
        section.append(el("p", {}, "The result itself: ", mapText(module.maps[one.map].text)));
        return section;
      }
      const via = module.byId.get(one.of);
      section.append(el("dl", { class: "maps" },
        el("dt", {}, `the result to `, el("strong", {}, via.name)), el("dd", {}, mapText(module.maps[one.before].text)),
        el("dt", {}, el("strong", {}, via.name), " to its operand"), el("dd", {}, mapText(module.maps[one.then].text)),
        el("dt", {}, "one after the other"), el("dd", {}, mapText(one.raw))));
      const view = el("div", { class: "step", "aria-live": "polite" });
      if (one.steps.length > 0) {
        const draw = (k) => view.replaceChildren(this.step(one, k));
        section.append(stepper({ name: "Step", count: one.steps.length, value: 0, change: draw, format: (k) => `step ${k + 1} of ${one.steps.length}` }), view);
        draw(0);
      } else {
        section.append(el("p", { class: "muted" }, "No rule applies."));
      }
      section.append(el("dl", { class: "maps" }, el("dt", {}, "simplified"), el("dd", {}, mapText(module.maps[one.map].text), " ",
        one.replayed ? badge("replayed", "by a checker that shares no code with the simplifier") : badge("refuted", "a step does not replay"),
        el("span", { class: "engine" }, one.replayed ? " each step" : " a step does not replay"))));
      return section;
    }

    step(one, k) {
      const step = one.steps[k];
      const before = k === 0 ? null : one.steps[k - 1].results;
      const highlighted = (text, part) => {
        const at = part ? text.indexOf(part) : -1;
        return at < 0 ? mapText(text) : el("code", { class: "map" }, text.slice(0, at), el("mark", {}, part), text.slice(at + part.length));
      };
      return el("div", {},
        el("p", { class: "rule" }, label(step.rule, "the rule"), " ", el("span", { class: "muted" }, "at " + step.location)),
        el("p", { class: "rewrite" }, el("code", { class: "from" }, step.before), el("span", { class: "arrow" }, " ⇒ "), el("code", { class: "to" }, step.after)),
        Object.keys(step.bindings).length ? el("p", { class: "muted" }, Object.entries(step.bindings).map(([name, value]) => `${name} = ${value}`).join(", ")) : null,
        step.results ? el("p", {}, before ? [highlighted(before, step.before), el("br")] : null, "results: ", highlighted(step.results, step.after)) : null);
    }
  }

  return { InstructionView, StepsView, imageOf };
})();
