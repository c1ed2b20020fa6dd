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
    computationOf(op) { return this.owner.get(op.id); }
    kernelsOf(id) { return this.ofKernel.get(id) ?? []; }
    // The weakest verdict on the maps of an instruction; "none" where there is nothing to prove.
    stateOf(op) {
      const verdicts = (op.proofs ?? []).flatMap((p) => [p.verdict, p.composition?.verdict, p.input_to_output?.verdict]).filter(Boolean);
      if (op.ledger?.map) verdicts.push(op.ledger.map);
      for (const verdict of ["refuted", "unknown", "proved"]) if (verdicts.includes(verdict)) return verdict;
      return "none";
    }
  }

  const app = {
    modules: data.modules.map((json) => new Module(json)),
    gridWidth() { return Math.max(240, Math.min(880, byId("panels").clientWidth - 8)); },

    start() {
      byId("title").textContent = data.input;
      const names = byId("module");
      this.modules.forEach((module, k) => names.append(el("option", { value: k }, module.name)));
      byId("module-label").hidden = this.modules.length < 2;
      names.addEventListener("change", () => this.openModule(this.modules[Number(names.value)]));
      this.graph = new Graph.GraphView(byId("graph"), (id) => this.choose(id));
      this.makeTabs();
      this.makeTools();
      this.openModule(this.modules[0]);
      window.addEventListener("hashchange", () => this.fromHash());
    },

    makeTabs() {
      const views = [["maps", "Maps", MapsPanel.InstructionView], ["steps", "Simplification", MapsPanel.StepsView],
        ["kernel", "Kernel", KernelPanel.KernelView], ["wrong", "Verdict", RefutationPanel.RefutationView]];
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
        const now = this.tabs.findIndex((tab) => tab.name === this.current);
        const next = this.tabs[(now + by + this.tabs.length) % this.tabs.length];
        this.tab(next.name);
        next.button.focus();
      });
    },

    makeTools() {
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

    openModule(module) {
      this.module = module;
      const entry = module.computations.find((c) => c.entry) ?? module.computations.at(-1);
      const choice = byId("computation");
      choice.replaceChildren(...module.computations.map((c, k) => el("option", { value: k }, c.entry ? `${c.name} (entry)` : c.name)));
      const refuted = module.status === 1, open = module.status === 2;
      const verdict = module.checked || refuted ? badge(refuted ? "refuted" : open ? "unknown" : data.dump ? module.verdict : "affirmed") : Dom.label("not checked");
      byId("verdict").replaceChildren(verdict, " ", el("span", {}, module.verdict));
      byId("replay").replaceChildren("Shown again by ", el("code", {}, module.replay));
      const wrong = (module.refutations ?? []).length;
      const tab = this.tabs.find((one) => one.name === "wrong");
      tab.button.textContent = wrong ? `Refuted (${wrong})` : "Verdict";
      tab.button.classList.toggle("bad", wrong > 0);
      this.current = wrong ? "wrong" : "maps";
      const refutedMap = (module.refutations ?? []).find((one) => one.maps);
      if (!this.fromHash()) this.choose(refutedMap?.instruction ?? entry.root);
    },

    // Shows a computation, and in it its result, unless the caller is about to choose another one.
    open(computation, id) {
      if (this.computation !== computation) {
        this.computation = computation;
        byId("computation").value = this.module.computations.indexOf(computation);
        byId("names").replaceChildren(...computation.instructions.map((op) => el("option", { value: op.name })));
        byId("text").replaceChildren();
        if (!byId("text").hidden) this.listText();
        this.graph.show(computation, this.module);
        if (id === undefined) this.choose(computation.root);
      }
    },

    listText() {
      byId("text").replaceChildren(...this.computation.instructions.map((op) =>
        el("li", {}, el("button", { type: "button", "data-id": op.id, "aria-pressed": op.id === this.op?.id, onclick: () => this.choose(op.id) }, op.text))));
    },

    choose(id) {
      const op = this.module.byId.get(id);
      if (!op) return;
      this.open(this.module.computationOf(op), id);
      this.op = op;
      const related = new Set(op.operands);
      for (const other of this.computation.instructions) if (other.operands.includes(id)) related.add(other.id);
      this.graph.mark(id, related);
      for (const button of byId("text").querySelectorAll("button")) {
        button.setAttribute("aria-pressed", Number(button.dataset.id) === id);
      }
      this.show();
      say(`${op.name}, ${op.opcode}`);
      try { history.replaceState(null, "", "#" + encodeURIComponent(op.name)); } catch { /* not from every place */ }
    },

    find(name) {
      const op = this.computation.instructions.find((one) => one.name === name) ?? [...this.module.byId.values()].find((one) => one.name === name);
      if (op) this.choose(op.id);
      else say(`There is no instruction ${name}.`);
    },
    fromHash() {
      let name = "";
      try { name = decodeURIComponent(location.hash.slice(1)); } catch { return false; }
      if (!name || name === this.op?.name) return false;
      const op = [...this.module.byId.values()].find((one) => one.name === name);
      if (op) this.choose(op.id);
      return Boolean(op);
    },

    tab(name) {
      this.current = name;
      this.show();
    },
    show(wanted) {
      for (const { name, button, panel, view } of this.tabs) {
        const on = name === this.current;
        button.setAttribute("aria-selected", on);
        button.setAttribute("tabindex", on ? 0 : -1);
        panel.hidden = !on;
        if (on) view.show(this.op, wanted);
      }
    },
    showMaps(id) {
      this.current = "maps";
      this.choose(id);
    },
    showThread(refutation) {
      this.current = "kernel";
      this.show(refutation);
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
