// The panel of a kernel: which thread touches what, warp by warp, and what each access costs.
const KernelPanel = (() => {
  const { el, svg, badge, label, plural, mapText, stepper, say } = Dom;
  const { ArrayGrid, linear } = Grid;
  const kMostLinks = 24;

  // From 0, as few units as there can be, to 4, more than four times as many.
  const costClass = (units, ideal) => {
    const ratio = ideal > 0 ? units / ideal : 1;
    return "cost-" + (ratio <= 1 ? 0 : ratio <= 1.25 ? 1 : ratio <= 2 ? 2 : ratio <= 4 ? 3 : 4);
  };
  // 0, 1, 2, 5 as "0 to 2, 5".
  function runs(numbers) {
    const parts = [];
    for (let k = 0; k < numbers.length; ++k) {
      const first = numbers[k];
      while (k + 1 < numbers.length && numbers[k + 1] === numbers[k] + 1) ++k;
      parts.push(first === numbers[k] ? `${first}` : `${first} to ${numbers[k]}`);
    }
    return parts.join(", ");
  }

  class KernelView {
    constructor(box, app) {
      this.box = box;
      this.app = app;
    }

    // The choices that differ from the first ones.
    address() {
      if (this.shownModule !== this.app.module) return {};
      const own = this.app.op ? this.module.kernelsOf(this.app.op.id) : [];
      const given = { kernel: this.number, access: this.group, block: this.block, warp: this.warp, execution: this.execution };
      const first = { kernel: own[0] ?? 0, access: 0, block: 0, warp: 0, execution: 0 };
      return Object.fromEntries(Object.entries(given).filter(([key, value]) => value !== first[key]));
    }
    restore(values) {
      const module = this.app.module, own = this.app.op ? module.kernelsOf(this.app.op.id) : [];
      this.number = Address.number(values.kernel, module.kernels.length) ?? own[0] ?? 0;
      this.shownModule = module;
      // Blocks, warps and executions beyond the last are the last ones (render).
      [this.block, this.warp, this.execution] = ["block", "warp", "execution"].map((key) => Address.number(values[key], 1e9) ?? 0);
      this.group = Address.number(values.access, module.kernels[this.number]?.groups?.length ?? 0) ?? 0;
    }

    show(op, wanted) {
      this.module = this.app.module;
      const kernels = this.module.kernels;
      if (kernels.length === 0) {
        this.box.replaceChildren(el("h2", {}, "Kernels"), el("p", { class: "muted" }, "The module has no kernels."));
        return;
      }
      const own = op ? this.module.kernelsOf(op.id) : [];
      const number = wanted?.kernel ?? (own.includes(this.number) ? this.number : own[0] ?? this.number ?? 0);
      if (this.number !== number || this.shownModule !== this.module || wanted) {
        this.number = number;
        this.shownModule = this.module;
        this.block = wanted?.block >= 0 ? wanted.block : 0;
        this.warp = wanted?.thread >= 0 ? Math.floor(wanted.thread / 32) : 0;
        this.execution = 0;
        const groups = kernels[number].groups ?? [];
        const line = groups.findIndex((group) => wanted && group.line === wanted.line);
        const write = groups.findIndex((group) => wanted?.block >= 0 && group.write && !group.shared);
        this.group = line >= 0 ? line : write >= 0 ? write : 0;
      }
      this.render();
      this.app.changed(false);
    }

    render() {
      const kernel = this.module.kernels[this.number];
      this.kernel = kernel;
      const threads = kernel.threads ? kernel.threads[0] * kernel.threads[1] * kernel.threads[2] : 0;
      this.threads = threads;
      this.blocks = kernel.grid ? kernel.grid[0] * kernel.grid[1] * kernel.grid[2] : 0;
      this.warps = Math.ceil(threads / (kernel.model?.lanes ?? 32));
      this.block = Math.max(0, Math.min(this.block, this.blocks - 1));
      this.warp = Math.max(0, Math.min(this.warp, this.warps - 1));
      const choice = el("select", { id: "kernel", onchange: () => this.show(null, { kernel: Number(choice.value) }) },
        this.module.kernels.map((one, k) => el("option", { value: k, selected: k === this.number }, one.name)));
      const text = kernel.grid ? `${plural(this.blocks, "block")} of ${plural(threads, "thread")}, ${plural(this.warps, "warp")} each` : "";
      this.box.replaceChildren(
        el("div", { class: "head" }, el("h2", {}, "Kernel"), this.module.kernels.length > 1 ? el("label", {}, choice) : el("code", {}, kernel.name),
          kernel.emitter ? label(kernel.emitter + " emitter") : label(kernel.by), el("span", { class: "muted" }, text)),
        this.claims(kernel));
      if (kernel.why_not) this.box.append(el("p", { class: "note" }, kernel.why_not));
      if (kernel.note) this.box.append(el("p", { class: "note" }, kernel.note));
      if (kernel.thread_maps?.length) {
        this.box.append(el("details", {}, el("summary", {}, "Which thread computes which element"), el("dl", { class: "maps" },
          kernel.thread_maps.map((one) => [el("dt", {}, one.of), el("dd", {}, mapText(one.map))]))));
      }
      this.box.append(this.instructions(kernel));
      this.source = kernel.source ? new Source.SourcePane(kernel, kernel.cases ? (group) => this.pick(group, this.warp) : null) : null;
      if (this.source && !kernel.cases) this.box.append(this.source.node);
      if (!kernel.groups?.length) return;
      this.details = el("div", { id: "warp" });
      this.heat = el("div", { class: "heat-box" });
      this.box.append(this.heat);
      if (!kernel.cases) {
        this.heat.replaceChildren(this.counts(kernel));
        return;
      }
      this.blockStepper = stepper({ name: "Block", count: this.blocks, value: this.block, format: (k) => `block ${k} of ${this.blocks}`,
        change: (k) => { this.block = k; this.execution = 0; this.drawBlock(); } });
      this.warpStepper = stepper({ name: "Warp", count: this.warps, value: this.warp, format: (k) => `warp ${k} of ${this.warps}`,
        change: (k) => { this.warp = k; this.execution = 0; this.drawBlock(); } });
      this.box.append(el("div", { class: "bar" }, this.blockStepper, this.warpStepper), this.source?.node ?? "", this.details);
      this.drawBlock();
    }

    // The instructions that it computes, as links to their maps.
    instructions(kernel) {
      const all = (kernel.instructions ?? []).map((id) => this.module.byId.get(id)).filter(Boolean), shown = all.slice(0, kMostLinks);
      if (all.length === 0) return "";
      return el("p", { class: "links", id: "computes" }, el("span", { class: "muted" }, "computes"), shown.map((op) =>
        el("button", { type: "button", class: "link", onclick: () => this.app.showMaps(op.id) }, op.name)), all.length > shown.length ? el("span", { class: "muted" }, `and ${all.length - shown.length} more`) : null);
    }

    claims(kernel) {
      if (!kernel.claims) return el("p", { class: "muted" }, this.module.checked ? "Nothing is said of its claims." : "Not checked.");
      return el("ul", { class: "claims", "aria-label": "Claims about its LLVM IR" }, kernel.claims.map((one) =>
        el("li", { title: one.reason ?? one.engine }, badge(one.verdict), " ", one.claim)),
        kernel.runs ? el("li", { class: "muted" }, `${plural(kernel.runs, "run")} compared, ${plural(kernel.elements ?? 0, "element")}, largest error ${kernel.max_ulp} ULP`) : null);
    }

    arrayName(group) {
      if (group.shared) return "shared memory";
      return this.kernel.params[group.param]?.name || `parameter ${group.param}`;
    }

    totalText(group) {
      const c = group.count;
      const range = (value) => Array.isArray(value) ? value.map((n) => n.toLocaleString("en")).join(" to ") : value.toLocaleString("en");
      if (c.accesses === undefined) return c.unknown;
      if (group.shared) return `${range(c.wavefronts)} wavefronts (ideal ${range(c.ideal_wavefronts)})`;
      return `${range(c.sectors)} sectors` + (c.ideal_sectors === undefined ? `: ${c.unknown}` : ` (ideal ${range(c.ideal_sectors)})`);
    }
    totalClass(group) {
      const c = group.count;
      if (c.unknown) return "cost-open";
      return group.shared ? costClass(c.wavefronts, c.ideal_wavefronts) : costClass(c.sectors, c.ideal_sectors);
    }

    counts(kernel) {
      return el("table", { class: "heat" }, el("caption", {}, "Accesses, all blocks"), el("tbody", {}, kernel.groups.map((group) =>
        el("tr", {}, el("th", { scope: "row" }, `${group.write ? "write" : "read"} ${this.arrayName(group)}, line ${group.line}`),
          el("td", { class: this.totalClass(group) }, this.totalText(group))))));
    }

    // The block's warps, with a row for each instruction: the number of sectors or wavefronts.
    drawBlock() {
      const kernel = this.kernel;
      this.ofBlock = Accesses.ofBlock(kernel, this.block);
      const focused = this.heat.contains(document.activeElement);
      const table = el("table", { class: "heat", role: "grid", "aria-label": `Accesses of block ${this.block}: an instruction a row, a warp a column` },
        el("thead", {}, el("tr", { role: "row" }, el("th", { scope: "col" }, "Instruction"), Array.from({ length: this.warps }, (_, w) => el("th", { scope: "col" }, this.warps > 16 ? `${w}` : `warp ${w}`)), el("th", { scope: "col" }, "all blocks"))));
      const body = el("tbody");
      kernel.groups.forEach((group, g) => {
        const row = el("tr", { role: "row" }, el("th", { scope: "row", title: group.text }, el("span", { class: group.write ? "write" : "read" }, group.write ? "write" : "read"), " ", this.arrayName(group), " ", el("span", { class: "muted" }, `${group.bytes} B, line ${group.line}`)));
        for (let warp = 0; warp < this.warps; ++warp) {
          const accesses = Accesses.ofWarp(kernel, this.ofBlock[g], warp);
          const ran = accesses.filter((access) => access.lanes.length > 0);
          let units = 0, ideal = 0;
          for (const access of ran) {
            const one = Accesses.cost(kernel, access.lanes, group.shared);
            units += group.shared ? one.wavefronts : one.sectors;
            ideal += one.ideal;
          }
          const open = accesses.some((access) => access.data.length > 0);
          const chosen = g === this.group && warp === this.warp;
          const text = open ? "data" : ran.length === 0 ? "·" : `${units}`;
          const unit = group.shared ? "wavefronts" : "sectors";
          const say = open ? "depends on data" : ran.length === 0 ? "no lane executes it" : `${units} ${unit}, ideal ${ideal}`;
          row.append(el("td", { role: "gridcell", tabindex: chosen ? 0 : -1, class: (open ? "cost-open" : ran.length === 0 ? "cost-none" : costClass(units, ideal)) + (chosen ? " chosen" : ""),
            "aria-selected": chosen, "aria-label": `warp ${warp}: ${say}`, title: say, "data-group": g, "data-warp": warp, onclick: () => this.pick(g, warp) }, text));
        }
        row.append(el("td", { class: "total" }, this.totalText(group)));
        body.append(row);
      });
      table.append(body);
      table.addEventListener("keydown", (event) => this.key(event));
      this.heat.replaceChildren(table, el("p", { class: "legend" }, "Sectors of 32 bytes, or wavefronts of shared memory, against as few as these bytes need: ",
        [["1", 0], ["to 1.25", 1], ["to 2", 2], ["to 4", 3], ["more", 4]].map(([text, k]) => [el("span", { class: "with-key" }, el("span", { class: "key cost-" + k }), text), " "])));
      if (focused) table.querySelector(".chosen")?.focus();
      this.source?.select(this.group, kernel.groups[this.group]?.line);
      this.drawWarp();
      this.app.changed(false);
    }

    pick(group, warp) {
      this.group = group;
      this.warp = warp;
      this.execution = 0;
      this.warpStepper.set(warp, false);
      this.drawBlock();
    }
    key(event) {
      const [dg, dw] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key] ?? [0, 0];
      if (dg === 0 && dw === 0) return;
      event.preventDefault();
      this.pick(Math.max(0, Math.min(this.kernel.groups.length - 1, this.group + dg)), Math.max(0, Math.min(this.warps - 1, this.warp + dw)));
    }

    drawWarp() {
      const kernel = this.kernel, group = kernel.groups[this.group];
      const accesses = Accesses.ofWarp(kernel, this.ofBlock[this.group], this.warp);
      this.execution = Math.max(0, Math.min(this.execution, accesses.length - 1));
      const unit = group.shared ? "wavefront" : "sector";
      const box = this.details;
      box.replaceChildren(el("h3", {}, `${group.write ? "Write" : "Read"} ${this.arrayName(group)}, block ${this.block}, warp ${this.warp}`),
        el("pre", { class: "hlo" }, el("code", {}, `${group.line}: ${group.text ?? ""}`)));
      const threadOf = (lane) => this.warp * kernel.model.lanes + lane;
      if (accesses.length === 0) {
        box.append(el("p", { class: "muted" }, "No thread of this warp has this access."));
      } else {
        const access = accesses[this.execution];
        // A lane that has no such access is masked as one whose guard is false: where the block is lifted as a
        // whole, branches are decided for each thread.
        const takesPart = new Set([...access.lanes.map(({ lane }) => lane), ...access.data]);
        access.masked = Array.from({ length: kernel.model.lanes }, (_, lane) => lane).filter((lane) => !takesPart.has(lane) && threadOf(lane) < this.threads);
        const cost = Accesses.cost(kernel, access.lanes, group.shared);
        const units = group.shared ? cost.wavefronts : cost.sectors;
        const text = access.lanes.length === 0
          ? access.data.length > 0 ? "Its addresses, or whether it is executed, depend on data." : "No lane executes it: the guard masks all."
          : `${access.lanes.length} of ${kernel.model.lanes} lanes touch ${plural(units, unit)} where ${cost.ideal} would do.` +
            (access.masked.length ? ` The guard masks ${access.masked.length === 1 ? "lane" : "lanes"} ${runs(access.masked)}.` : "");
        if (accesses.length > 1) {
          box.append(el("div", { class: "bar" }, stepper({ name: "Execution", count: accesses.length, value: this.execution, format: (k) => `execution ${k + 1} of ${accesses.length}`,
            change: (k) => { this.execution = k; this.drawWarp(); this.app.changed(false); } })));
        }
        const status = el("p", { id: "warp-text", class: "reads", "data-units": units, "data-ideal": cost.ideal, "data-lanes": access.lanes.length, "data-masked": access.masked.length }, text);
        box.append(status, this.lanes(access, threadOf));
        say(text);
        if (access.lanes.length > 0) box.append(group.shared ? this.banks(cost, threadOf) : this.sectors(access.lanes, kernel.params[group.param]));
        if (!group.shared && access.lanes.length > 0) box.append(this.array(access.lanes, kernel.params[group.param]));
      }
      const trivial = group.guard === "true";
      box.append(el("dl", { class: "maps" }, el("dt", {}, group.thread >= 0 ? `address in bytes, of thread ${group.thread}` : "address in bytes"), el("dd", {}, mapText(group.address ?? "")),
        el("dt", {}, "guard"), el("dd", {}, trivial ? el("span", { class: "muted" }, group.thread >= 0 ? "decided for each thread and block: masked lanes are those whose branch leads elsewhere" : "none: every thread") : mapText(group.guard ?? ""))));
    }

    lanes(access, threadOf) {
      const kinds = new Array(this.kernel.model.lanes).fill("absent");
      for (const lane of access.masked) kinds[lane] = "masked";
      for (const lane of access.data) kinds[lane] = "data";
      for (const { lane } of access.lanes) kinds[lane] = "runs";
      const text = `${access.lanes.length} lanes execute it` + (access.masked.length ? `, lanes ${runs(access.masked)} are masked` : "");
      return el("div", { class: "strip" }, el("span", { class: "strip-name" }, "lanes"),
        el("div", { class: "lanes", role: "img", "aria-label": text }, kinds.map((kind, lane) => el("span", { class: "lane " + kind, title: `lane ${lane}, thread ${threadOf(lane)}: ${kind}` }, `${lane}`))));
    }

    // The sectors that are touched, each with its bytes.
    sectors(lanes, param) {
      const model = this.kernel.model, used = new Map();
      for (const { memory, first, bytes } of lanes) {
        for (let byte = first; byte < first + bytes; ++byte) {
          const sector = Math.floor(byte / model.sector_bytes);
          if (!used.has(sector)) used.set(sector, { memory, bytes: new Set() });
          used.get(sector).bytes.add(byte - sector * model.sector_bytes);
        }
      }
      const all = [...used].sort((a, b) => a[0] - b[0]), shown = all.slice(0, 48);
      const step = Math.min(4, param ? Math.max(1, param.bits / 8) : 4), words = model.sector_bytes / step;
      return el("div", { class: "strip" }, el("span", { class: "strip-name" }, "sectors"),
        el("div", { class: "sectors", role: "img", "aria-label": `${plural(all.length, "sector")}; bytes used in each: ${shown.slice(0, 12).map(([, s]) => s.bytes.size).join(", ")}` },
          shown.map(([number, { bytes }]) => {
            const share = bytes.size / model.sector_bytes;
            return el("span", { class: "sector " + (share >= 1 ? "cost-0" : share >= 0.75 ? "cost-1" : share >= 0.5 ? "cost-2" : share >= 0.25 ? "cost-3" : "cost-4"), title: `bytes ${number * model.sector_bytes} to ${(number + 1) * model.sector_bytes - 1}: ${bytes.size} of ${model.sector_bytes} used` },
              Array.from({ length: words }, (_, w) => {
                let on = false;
                for (let b = 0; b < step; ++b) on = on || bytes.has(w * step + b);
                return el("i", { class: on ? "on" : "" });
              }));
          }), all.length > shown.length ? el("span", { class: "muted" }, `and ${all.length - shown.length} more`) : null));
    }

    // The words that lanes want of each bank; where a bank has several, it takes as many wavefronts.
    banks(cost, threadOf) {
      const width = 19, box = el("div", { class: "strip banks" }, el("span", { class: "strip-name" }, "banks"));
      const stack = el("div");
      cost.groups.slice(0, 4).forEach((banks, n) => {
        const most = Math.max(1, ...banks.map((words) => words.length)), shown = Math.min(most, 8);
        const drawing = svg("svg", { width: width * banks.length + 2, height: 18 * shown + 18, role: "img", "aria-label": `banks: at most ${most} words in one` });
        banks.forEach((words, bank) => {
          for (let row = 0; row < shown; ++row) {
            const lanes = words[row];
            drawing.append(svg("rect", { x: bank * width + 1, y: row * 18 + 1, width: width - 2, height: 16, rx: 2, class: lanes ? (words.length === 1 ? "cost-0" : words.length === 2 ? "cost-2" : words.length <= 4 ? "cost-3" : "cost-4") : "cost-none" },
              svg("title", {}, lanes ? `bank ${bank}: word of ${lanes.length > 1 ? "threads" : "thread"} ${runs(lanes.map(threadOf))}` : `bank ${bank}`)));
            if (lanes) drawing.append(svg("text", { x: bank * width + width / 2, y: row * 18 + 13, class: "bank-lane" }, lanes.length > 1 ? `×${lanes.length}` : `${lanes[0]}`));
          }
          drawing.append(svg("text", { x: bank * width + width / 2, y: 18 * shown + 13, class: "bank-number" }, `${bank}`));
        });
        if (cost.groups.length > 1) stack.append(el("div", { class: "muted" }, `lanes together, part ${n + 1} of ${cost.groups.length}`));
        stack.append(drawing);
      });
      box.append(stack);
      return box;
    }

    array(lanes, param) {
      const lit = new Set(), near = new Set();
      let outside = 0;
      for (const { first, bytes } of lanes) {
        for (const index of Accesses.elementsIn(param, first, bytes)) {
          if (index) lit.add(linear(param.dims, index));
          else ++outside;
        }
        const sector = this.kernel.model.sector_bytes;
        for (const index of Accesses.elementsIn(param, Math.floor(first / sector) * sector, sector)) {
          if (index) near.add(linear(param.dims, index));
        }
      }
      const grid = new ArrayGrid({ title: param.name || "array", dims: param.dims, shape: param.shape, width: this.app.gridWidth(), hint: "what the warp touches" });
      grid.node.classList.add("warp-array");
      grid.mark({ lit, near });
      grid.summarize(plural(lit.size, "element") + (outside ? `, and ${outside} outside of the array` : "") + "; pale: what its sectors bring along");
      return grid.node;
    }
  }

  return { KernelView };
})();
