// The page: what is chosen, and which panel shows it.
(() => {
  const { el, byId, badge, say } = Dom;
  const data = JSON.parse(byId("data").textContent);

  // A module of the data, with what is looked up in it.
  class Module {
    constructor(json) {
      Object.assign(this, json);
      this.byId = new Map();
      this.owner = new Map();
      this.kernels ??= [];
      this.ofKernel = new Map();
      for (const computation of this.computations) {
        for (const op of computation.instructions) {
          this.byId.set(op.id, op);
          this.owner.set(op.id, computation);
        }
      }
      this.kernels.forEach((kernel, k) => {
        for (const id of kernel.instructions ?? []) {
          if (!this.ofKernel.has(id)) this.ofKernel.set(id, []);
          this.ofKernel.get(id).push(k);
        }
      });
    }
    // The instruction of a name, first in the named computation.
    find(name, computation) {
      const first = this.computations.find((one) => one.name === computation)?.instructions ?? [];
      return [...first, ...this.byId.values()].find((one) => one.name === name);
    }
    computationOf(op) { return this.owner.get(op.id); }
    kernelsOf(id) { return this.ofKernel.get(id) ?? []; }
    get entry() { return this.computations.find((c) => c.entry) ?? this.computations.at(-1); }
    // Worse is less: 0 refuted, 1 unknown, 2 neither.
    get rank() { return { 1: 0, 2: 1 }[this.status] ?? 2; }
    get word() { return verdictOf(this.status, this.checked, data.dump ? this.verdict : "affirmed"); }
    // The tab and the instruction that it opens with: what is refuted.
    get firstTab() { return (this.refutations ?? []).length > 0 ? "wrong" : "maps"; }
    get firstInstruction() { return (this.refutations ?? []).find((one) => one.maps)?.instruction ?? this.entry.root; }
    // The weakest verdict on the maps of an instruction; "none" where there is nothing to prove.
    stateOf(op) {
      const verdicts = (op.proofs ?? []).flatMap((p) => [p.verdict, p.composition?.verdict, p.input_to_output?.verdict]).filter(Boolean);
      if (op.ledger?.map) verdicts.push(op.ledger.map);
      for (const verdict of ["refuted", "unknown", "proved"]) if (verdicts.includes(verdict)) return verdict;
      return "none";
    }
  }

  // A word for an exit status.
  const verdictOf = (status, checked, word) => (status === 1 ? "refuted" : status === 2 ? "unknown" : checked ? word : "not checked");

  // The parts of an address that panels read.
  const kParts = new Set(["element", "operand", "result", "between", "kernel", "access", "block", "warp", "execution", "pass"]);

  const app = {
    collapsed: new Map(),  // sets of paths of scopes, by computation
    modules: data.modules.map((json) => new Module(json)),
    gridWidth() { return Math.max(240, Math.min(880, byId("panels").clientWidth - 8)); },

    start() {
      byId("title").textContent = data.input;
      const names = byId("module");
      this.modules.forEach((module, k) => names.append(el("option", { value: k }, `${Dom.sign(module.word)} ${module.name} (${module.word})`.trim())));
      byId("module-label").hidden = this.modules.length < 2;
      names.addEventListener("change", () => {
        this.history.flush();
        this.openModule(this.modules[Number(names.value)]);
        this.changed(true);
      });
      this.graph = new Graph.GraphView(byId("graph"), (id) => this.choose(id), (path) => this.collapse((paths) => paths.delete(path)));
      this.makeTabs();
      this.makeTools();
      // The first module of those with the worst status.
      this.firstModule = this.modules.reduce((worst, one) => (one.rank < worst.rank ? one : worst));
      this.history = new Address.History(() => this.address(), (state, isEmpty) => this.restore(state, isEmpty));
      this.history.read(true);
    },

    // The view as parts of an address, without what it opens with; and the view of an address.
    changed(step) {
      if (step) this.history.push();
      else this.history.replace();
    },
    address() {
      const { module, op } = this, view = this.tabs.find((tab) => tab.name === this.current).view;
      const isFirst = op.id === module.firstInstruction;
      return {
        module: module === this.firstModule ? undefined : `${this.modules.indexOf(module)}:${module.name}`,
        computation: isFirst || module.find(op.name) === op ? undefined : module.computationOf(op).name,
        instruction: isFirst ? undefined : op.name,
        tab: this.current === module.firstTab ? undefined : this.current,
        ...view.address?.(),
      };
    },
    restore(state, isEmpty) {
      const [number, name] = /^(\d{1,9}):(.*)$/s.exec(state.module ?? "")?.slice(1) ?? [];
      const module = this.modules[number]?.name === name ? this.modules[number] : this.modules.find((one) => one.name === name);
      const within = module ?? this.firstModule;
      const op = state.instruction === undefined ? undefined : within.find(state.instruction, state.computation);
      const tab = this.tabs.find((one) => one.name === state.tab && this.canShow(one, within));
      const known = module || op || tab || Object.keys(state).some((key) => kParts.has(key));
      if (this.op && !isEmpty && !known) return;
      if (this.module !== within) this.openModule(within, true);
      this.current = tab?.name ?? within.firstTab;
      this.op = op ?? within.byId.get(within.firstInstruction);
      this.computation === within.computationOf(this.op) || this.open(within.computationOf(this.op), this.op.id);
      for (const { view } of this.tabs) view.restore?.(state);
      this.choose(this.op.id);
    },

    makeTabs() {
      const views = [["maps", "Maps", MapsPanel.InstructionView], ["steps", "Simplification", MapsPanel.StepsView],
        ["kernel", "Kernel", KernelPanel.KernelView], ["passes", "Passes", PassesPanel.PassesView], ["wrong", "Verdict", RefutationPanel.RefutationView]];
      this.tabs = views.map(([name, text, View]) => {
        const panel = el("div", { role: "tabpanel", id: "panel-" + name, "aria-labelledby": "tab-" + name, tabindex: 0, hidden: true });
        const button = el("button", { type: "button", role: "tab", id: "tab-" + name, "aria-controls": panel.id, "aria-selected": false, tabindex: -1, onclick: () => this.tab(name) }, text);
        byId("tabs").append(button);
        byId("panels").append(panel);
        return { name, button, panel, view: new View(panel, this) };
      });
      byId("tabs").addEventListener("keydown", (event) => {
        const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (!by) return;
        event.preventDefault();
        const tabs = this.tabs.filter((tab) => this.canShow(tab, this.module)), now = tabs.findIndex((tab) => tab.name === this.current);
        const next = tabs[(now + by + tabs.length) % tabs.length];
        this.tab(next.name);
        next.button.focus();
      });
    },

    // Only dumps have passes.
    canShow(tab, module) { return tab.name !== "passes" || (module.passes ?? []).length > 0; },

    makeTools() {
      byId("scopes-collapse").addEventListener("click", () => this.collapse((paths, tree) => { for (const path of tree.scopes.keys()) paths.add(path); }));
      // A button that vanishes hands the focus on.
      byId("scopes-expand").addEventListener("click", () => {
        this.collapse((paths) => paths.clear());
        byId("scopes-collapse").focus();
      });
      byId("scope-of").addEventListener("click", () => {
        this.collapse((paths, tree) => paths.add(tree.expandedAround(this.op.id, paths)?.path));
        this.graph.focus(this.graph.nodeOf(this.op.id));
      });
      byId("computation").addEventListener("change", (event) => this.open(this.module.computations[Number(event.target.value)]));
      byId("find").addEventListener("change", (event) => this.find(event.target.value));
      byId("zoom-in").addEventListener("click", () => this.graph.zoom(1.25));
      byId("zoom-out").addEventListener("click", () => this.graph.zoom(0.8));
      byId("zoom-fit").addEventListener("click", () => this.graph.fit(true));
      for (const name of ["graph", "text"]) byId("view-" + name).addEventListener("click", () => this.view(name));
      byId("theme").addEventListener("click", () => this.theme(this.isDark() ? "light" : "dark"));
      this.theme(null);
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.theme(null));
    },

    // Dark or light as the reader said, on this page or another one; else as the system is.
    theme(chosen) {
      try {
        if (chosen) localStorage.setItem("affirm-theme", chosen);
        chosen ??= localStorage.getItem("affirm-theme");
      } catch { /* a page from disk may have no storage */ }
      const name = chosen ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
      document.documentElement.dataset.theme = name;
      byId("theme").textContent = this.isDark() ? "☀ Light" : "☾ Dark";
      if (this.op) this.show();
    },
    isDark() { return document.documentElement.dataset.theme === "dark"; },

    // `open`: the caller chooses what is shown of it.
    openModule(module, open = false) {
      this.module = module;
      byId("module").value = this.modules.indexOf(module);
      const choice = byId("computation");
      choice.replaceChildren(...module.computations.map((c, k) => el("option", { value: k }, c.entry ? `${c.name} (entry)` : c.name)));
      this.showVerdict(module);
      byId("replay").replaceChildren("Shown again by ", el("code", {}, module.replay));
      const wrong = (module.refutations ?? []).length;
      const tab = this.tabs.find((one) => one.name === "wrong");
      tab.button.textContent = wrong ? `Refuted (${wrong})` : "Verdict";
      tab.button.classList.toggle("bad", wrong > 0);
      this.tabs.find((one) => one.name === "passes").button.hidden = !this.canShow({ name: "passes" }, module);
      this.computation = null;
      if (open) return;
      this.current = module.firstTab;
      this.choose(module.firstInstruction);
    },

    // The verdict of the whole file or dump, and that of the module.
    showVerdict(module) {
      const mark = (word) => (word === "not checked" ? Dom.label(word) : badge(word));
      const parts = [mark(module.word), " ", el("span", {}, module.verdict)];
      const refuted = this.modules.filter((one) => one.status === 1).length, whole = verdictOf(data.status, module.checked, data.dump ? data.verdict : "affirmed");
      // A dump has modules without a page, of which only the whole says something.
      if (this.modules.length > 1 || whole !== module.word) {
        parts.unshift(el("span", { id: "whole" }, mark(whole), ` ${data.dump ? "the dump" : "the file"}${refuted ? `, ${refuted} of ${Dom.plural(this.modules.length, "module")} refuted` : ""}`), el("span", { class: "muted" }, " · this module: "));
      }
      byId("verdict").replaceChildren(...parts);
    },

    // Shows a computation, and in it its result, unless the caller is about to choose another one.
    open(computation, id) {
      if (this.computation !== computation) {
        this.computation = computation;
        byId("computation").value = this.module.computations.indexOf(computation);
        byId("names").replaceChildren(...computation.instructions.map((op) => el("option", { value: op.name })));
        byId("text").replaceChildren();
        if (!byId("text").hidden) this.listText();
        this.tree = new Scopes.ScopeTree(computation, this.module);
        byId("scopes").hidden = this.tree.scopes.size === 0;
        this.drawGraph();
        if (id === undefined) this.choose(computation.root);
      }
    },

    // The collapsed scopes of the computation, changed by `change(paths, tree)`.
    collapse(change) {
      this.collapsed.set(this.computation, this.collapsed.get(this.computation) ?? new Set());
      const paths = this.collapsed.get(this.computation);
      change(paths, this.tree);
      this.drawGraph();
      this.markGraph();
      say(paths.size > 0 ? `${Dom.plural(this.graph.scopes.size, "collapsed scope")}` : "No scope is collapsed.");
    },
    drawGraph() {
      const paths = this.collapsed.get(this.computation) ?? new Set();
      this.graph.show(this.computation, this.module, this.tree, paths);
      byId("scopes-expand").disabled = paths.size === 0;
    },
    markGraph() {
      const { op } = this, related = new Set(op.operands), outside = this.tree.expandedAround(op.id, this.collapsed.get(this.computation) ?? new Set());
      for (const other of this.computation.instructions) if (other.operands.includes(op.id)) related.add(other.id);
      this.graph.mark(op.id, related);
      byId("scope-of").hidden = !outside;
      byId("scope-of").textContent = outside ? `Collapse ${outside.name}` : "Collapse";
    },

    listText() {
      byId("text").replaceChildren(...this.computation.instructions.map((op) =>
        el("li", {}, el("button", { type: "button", "data-id": op.id, "aria-pressed": op.id === this.op?.id, onclick: () => this.choose(op.id) }, op.text))));
    },

    choose(id) {
      const op = this.module.byId.get(id);
      if (!op) return;
      if (op !== this.op) this.history.flush();
      const before = this.op;
      this.open(this.module.computationOf(op), id);
      this.op = op;
      this.markGraph();
      for (const button of byId("text").querySelectorAll("button")) {
        button.setAttribute("aria-pressed", Number(button.dataset.id) === id);
      }
      this.show();
      say(`${op.name}, ${op.opcode}`);
      this.changed(before !== op);
    },

    find(name) {
      const op = this.module.find(name, this.computation.name);
      if (op) this.choose(op.id);
      else say(`There is no instruction ${name}.`);
    },

    tab(name) {
      this.history.flush();
      const before = this.current;
      this.current = name;
      this.show();
      this.changed(before !== name);
    },
    show(wanted) {
      Rulers.tip.hide();
      for (const { name, button, panel, view } of this.tabs) {
        const on = name === this.current;
        button.setAttribute("aria-selected", on);
        button.setAttribute("tabindex", on ? 0 : -1);
        panel.hidden = !on;
        if (on) view.show(this.op, wanted);
      }
    },
    showMaps(id) {
      this.history.flush();
      this.current = "maps";
      this.choose(id);
      this.changed(true);
    },
    showThread(refutation) {
      this.history.flush();
      this.current = "kernel";
      this.show(refutation);
      this.changed(true);
    },
    showPass(pass) {
      this.history.flush();
      this.current = "passes";
      this.show({ pass });
      this.changed(true);
    },
    view(name) {
      for (const one of ["graph", "text"]) {
        byId(one).hidden = one !== name;
        byId("view-" + one).setAttribute("aria-pressed", one === name);
      }
      if (name === "graph") this.graph.fit();
      else this.listText();
    },
  };

  app.start();
  // For whoever measures how long the page takes to be there.
  performance.mark("affirm-shown");
  document.documentElement.dataset.ready = "true";
})();
