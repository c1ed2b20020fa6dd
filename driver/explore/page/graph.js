// The graph of a computation, as Graphviz laid it out, or with collapsed scopes (scopes.js): operands
// above users. The mouse drags and zooms it; the arrow keys walk along its edges.
const Graph = (() => {
  const { el, svg } = Dom;

  class GraphView {
    // choose(id): an instruction; expand(path): a scope.
    constructor(box, choose, expand) {
      this.box = box;
      this.choose = choose;
      this.expand = expand;
      this.svg = svg("svg", { role: "group", "aria-label": "Graph" });
      this.layer = svg("g");
      this.svg.append(this.layer);
      box.append(this.svg);
      this.view = { x: 0, y: 0, scale: 1 };
      this.svg.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
      this.svg.addEventListener("pointerdown", (event) => this.press(event));
      this.svg.addEventListener("keydown", (event) => this.key(event));
      this.svg.addEventListener("click", (event) => {
        const node = event.target.closest(".node");
        if (node && !this.dragged) this.open(Number(node.dataset.id));
      });
    }

    open(id) {
      const scope = this.scopes.get(id);
      if (scope) this.expand(scope.path);
      else this.choose(id);
    }

    // `collapsed`: paths of scopes in the tree.
    show(computation, module, tree, collapsed) {
      this.computation = computation;
      const laidOut = collapsed?.size > 0 ? Scopes.layOut(tree, collapsed) : computation.graph;
      this.graph = laidOut;
      this.scopes = laidOut.scopes ?? new Map();
      this.nodeOf = (id) => laidOut.nodeOf?.get(id) ?? id;
      // An instruction with several nodes is reached, and left, at the first one.
      this.places = new Map();
      this.nodes = new Map();
      const all = new Map();
      for (const [id, x, y, w, h] of laidOut.nodes) {
        if (!all.has(id)) all.set(id, []);
        all.get(id).push({ x, y, w, h });
      }
      for (const [id, list] of all) this.places.set(id, list[0]);
      this.allPlaces = all;
      const edges = svg("g", { class: "edges", "aria-hidden": "true" });
      this.edges = [];
      for (const [from, to, p] of laidOut.edges) {
        let d = `M${p[0]} ${p[1]}`;
        if (p.length >= 8) for (let k = 2; k + 5 < p.length; k += 6) d += `C${p.slice(k, k + 6).join(" ")}`;
        else d += `L${p.slice(-2).join(" ")}`;
        const path = svg("path", { d });
        edges.append(path);
        this.edges.push({ from, to, path });
      }
      const nodes = svg("g");
      for (const [id, scope] of this.scopes) {
        this.nodes.set(id, [this.scopeNode(id, scope, all.get(id)[0])]);
        nodes.append(this.nodes.get(id)[0]);
      }
      for (const op of computation.instructions) {
        if (!all.has(op.id)) continue;
        this.nodes.set(op.id, []);
        for (const place of all.get(op.id)) {
          const node = this.nodeOfOp(op, place, module);
          nodes.append(node);
          this.nodes.get(op.id).push(node);
        }
      }
      this.layer.replaceChildren(edges, nodes);
      this.svg.setAttribute("aria-label", `Graph of ${computation.name}, ${Dom.plural(computation.instructions.length, "instruction")}`);
      this.fit();
    }

    scopeNode(id, scope, place) {
      const second = Dom.plural(scope.members.length, "instruction") + (scope.state === "none" ? "" : `, ${scope.state}`);
      return this.drawBox(place, { class: `node scope ${scope.state}`, "data-id": id, "data-scope": scope.path, "aria-expanded": "false", "aria-label": `scope ${scope.name}, ${second}, collapsed` },
        "▸ " + scope.name, second, scope.path);
    }
    nodeOfOp(op, place, module) {
      const state = module.stateOf(op);
      const second = op.opcode + " " + (op.arrays.length === 1 ? op.arrays[0].shape.replace(/\{.*\}$/, "") : op.arrays.length === 0 ? "()" : `(${op.arrays.length} arrays)`);
      return this.drawBox(place, {
        class: `node ${state} ${op.id === this.computation.root ? "root" : ""} op-${op.opcode}`, "data-id": op.id,
        "aria-label": `${op.name}, ${second}${op.id === this.computation.root ? ", result" : ""}${state === "none" ? "" : ", maps " + state}`,
      }, op.name, second, op.text);
    }

    // A node with two lines of text, cut to its width.
    drawBox(place, attributes, first, second, title) {
      const fit = (text) => { const most = Math.max(6, Math.floor((place.w - 22) / 6.9)); return text.length > most ? text.slice(0, most - 1) + "…" : text; };
      const left = place.x - place.w / 2, top = place.y - place.h / 2;
      return svg("g", { role: "button", tabindex: -1, ...attributes },
        svg("rect", { x: left, y: top, width: place.w, height: place.h, rx: 7 }),
        svg("rect", { class: "stripe", x: left, y: top + 7, width: 4, height: place.h - 14 }),
        svg("text", { x: left + 12, y: place.y - 5, class: "name" }, fit(first)),
        svg("text", { x: left + 12, y: place.y + 12, class: "kind" }, fit(second)),
        svg("title", {}, title));
    }

    mark(chosen, relatedTo) {
      const id = this.nodeOf(chosen), related = new Set([...relatedTo].map((other) => this.nodeOf(other)));
      related.delete(id);
      for (const [number, nodes] of this.nodes) {
        nodes.forEach((node, k) => {
          node.classList.toggle("selected", number === id);
          node.classList.toggle("related", related.has(number));
          node.setAttribute("tabindex", number === id && k === 0 ? 0 : -1);
          if (number >= 0) node.setAttribute("aria-pressed", number === id);
        });
      }
      for (const edge of this.edges) edge.path.classList.toggle("related", edge.from === id || edge.to === id);
      this.selected = id;
      this.reveal(id);
    }

    size() {
      return { width: this.box.clientWidth || 600, height: this.box.clientHeight || 500 };
    }
    apply() {
      this.layer.setAttribute("transform", `translate(${this.view.x} ${this.view.y}) scale(${this.view.scale})`);
    }
    // The whole graph where it is readable, else its lower end, where the result is.
    fit(whole = false) {
      const { width, height } = this.size(), graph = this.graph;
      const scale = Math.min(1.15, (width - 24) / graph.width, (height - 24) / graph.height);
      this.view.scale = whole ? scale : Math.max(0.62, scale);
      this.view.x = (width - graph.width * this.view.scale) / 2;
      this.view.y = (height - graph.height * this.view.scale) / 2;
      const root = this.places.get(this.nodeOf(this.computation.root));
      if (!whole && scale < 0.62 && root) {
        this.view.x = width / 2 - root.x * this.view.scale;
        this.view.y = height - 60 - root.y * this.view.scale;
      }
      this.apply();
    }
    zoom(factor, x, y) {
      const { width, height } = this.size(), at = { x: x ?? width / 2, y: y ?? height / 2 };
      const scale = Math.max(0.05, Math.min(3, this.view.scale * factor));
      const by = scale / this.view.scale;
      this.view = { scale, x: at.x - (at.x - this.view.x) * by, y: at.y - (at.y - this.view.y) * by };
      this.apply();
    }
    reveal(id) {
      const place = this.places.get(id);
      if (!place) return;
      const { width, height } = this.size(), { scale } = this.view;
      const isSeen = ({ x, y }) => {
        const left = this.view.x + x * scale, top = this.view.y + y * scale;
        return left > 0 && left < width && top > 0 && top < height;
      };
      if (!isSeen(place) && this.allPlaces.get(id).some(isSeen)) return;
      const x = this.view.x + place.x * scale, y = this.view.y + place.y * scale;
      const halfWidth = (place.w / 2) * scale + 8, halfHeight = (place.h / 2) * scale + 8;
      if (x < halfWidth) this.view.x += halfWidth - x;
      if (x > width - halfWidth) this.view.x -= x - (width - halfWidth);
      if (y < halfHeight) this.view.y += halfHeight - y;
      if (y > height - halfHeight) this.view.y -= y - (height - halfHeight);
      this.apply();
    }

    wheel(event) {
      event.preventDefault();
      const box = this.svg.getBoundingClientRect();
      this.zoom(Math.exp(-event.deltaY / 400), event.clientX - box.left, event.clientY - box.top);
    }
    press(event) {
      this.dragged = false;
      let { clientX: x, clientY: y } = event;
      const move = (now) => {
        if (Math.abs(now.clientX - x) + Math.abs(now.clientY - y) < 4 && !this.dragged) return;
        this.dragged = true;
        this.view.x += now.clientX - x;
        this.view.y += now.clientY - y;
        x = now.clientX;
        y = now.clientY;
        this.apply();
      };
      const up = () => {
        window.removeEventListener("pointermove", move);
        window.removeEventListener("pointerup", up);
      };
      window.addEventListener("pointermove", move);
      window.addEventListener("pointerup", up);
    }

    // Up to an operand, down to a user, left and right to a neighbor of the same height.
    key(event) {
      const focused = document.activeElement?.closest?.(".node");
      if (!focused) return;
      const id = Number(focused.dataset.id), place = this.places.get(id);
      const nearest = (ids) => ids.filter((n) => this.places.has(n))
        .sort((a, b) => Math.abs(this.places.get(a).x - place.x) - Math.abs(this.places.get(b).x - place.x))[0];
      let next;
      if (event.key === "ArrowUp") next = nearest(this.edges.filter((e) => e.to === id).map((e) => e.from));
      else if (event.key === "ArrowDown") next = nearest(this.edges.filter((e) => e.from === id).map((e) => e.to));
      else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
        const sign = event.key === "ArrowLeft" ? -1 : 1;
        next = nearest([...this.places.keys()].filter((n) => n !== id && Math.abs(this.places.get(n).y - place.y) < 24 && sign * (this.places.get(n).x - place.x) > 0));
      } else if (event.key === "Enter" || event.key === " ") next = id;
      else return;
      event.preventDefault();
      if (next === undefined) return;
      if (next < 0 && next !== id) return this.focus(next);
      const members = this.scopes.get(next)?.members;
      this.open(next);
      this.focus(members ? this.nodeOf(members[0]) : next);
    }
    focus(id) {
      this.reveal(id);
      this.nodes.get(id)?.[0]?.focus({ preventScroll: true });
    }
  }

  return { GraphView };
})();
