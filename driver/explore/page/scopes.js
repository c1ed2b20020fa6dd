// Scopes of the op_names of a computation's instructions: "jit(f)/layer_0/dot" is in layer_0, which is in
// jit(f). A collapsed scope is one node of the graph.
const Scopes = (() => {
  // The parts between slashes that stand in no parentheses.
  function parts(name) {
    const list = [""];
    let depth = 0;
    for (const c of name) {
      if (c === "(") ++depth;
      else if (c === ")") depth = Math.max(0, depth - 1);
      if (c === "/" && depth === 0) list.push("");
      else list[list.length - 1] += c;
    }
    return list;
  }

  const kMostDepth = 16;
  const kOrder = ["refuted", "unknown", "proved", "none"];
  const worse = (a, b) => kOrder[Math.min(kOrder.indexOf(a), kOrder.indexOf(b))];

  // All scopes of a computation with at least two instructions, by path, and those of an instruction
  // from outside to inside. A scope around all instructions that have one is left out: nothing else
  // would be seen when it is collapsed.
  class ScopeTree {
    constructor(computation, module) {
      this.computation = computation;
      this.scopes = new Map();
      this.around = new Map();
      for (const op of computation.instructions) {
        const list = parts(op.op_name ?? "").slice(0, -1).slice(0, kMostDepth), around = [];
        if (list.length === 0) continue;
        list.forEach((name, k) => {
          if (name === "") return;
          const path = list.slice(0, k + 1).join("/");
          if (!this.scopes.has(path)) this.scopes.set(path, { path, name, depth: k, members: [], state: "none" });
          const scope = this.scopes.get(path);
          scope.members.push(op.id);
          scope.state = worse(scope.state, module.stateOf(op));
          around.push(scope);
        });
        this.around.set(op.id, around);
      }
      for (const [path, scope] of this.scopes) {
        if (scope.members.length < 2 || scope.members.length === this.around.size) this.scopes.delete(path);
      }
      for (const [id, around] of this.around) this.around.set(id, around.filter((scope) => this.scopes.has(scope.path)));
    }
    // The outermost collapsed scope of an instruction, if any; the innermost one that is expanded.
    collapsedAround(id, collapsed) { return (this.around.get(id) ?? []).find((scope) => collapsed.has(scope.path)); }
    expandedAround(id, collapsed) {
      const around = this.around.get(id) ?? [];
      const outside = around.findIndex((scope) => collapsed.has(scope.path));
      return around[(outside < 0 ? around.length : outside) - 1];
    }
  }

  const kHeight = 44, kRow = 92, kGap = 24, kAside = 190;

  // The graph with collapsed scopes, as driver/explore/graph_layout.h describes one, with `scopes`: by
  // negative numbers of nodes. Users are below operands, except where scopes need each other.
  function layOut(tree, collapsed) {
    const { computation } = tree, nodes = new Map(), scopes = new Map(), ids = new Map(), nodeOf = new Map();
    const place = new Map();
    for (const [id, x, y] of computation.graph.nodes) if (!place.has(id)) place.set(id, { x, y });
    for (const op of computation.instructions) {
      const scope = tree.collapsedAround(op.id, collapsed);
      if (scope && !ids.has(scope.path)) {
        ids.set(scope.path, -1 - ids.size);
        scopes.set(ids.get(scope.path), scope);
      }
      const id = scope ? ids.get(scope.path) : op.id;
      nodeOf.set(op.id, id);
      if (!nodes.has(id)) nodes.set(id, { id, x: 0, y: 0, count: 0, operands: new Set(), users: new Set(), width: scope ? widthOf("▸ " + scope.name, "1,000 instructions, unknown") : widthOf(op.name, `${op.opcode} ${op.arrays[0]?.shape ?? ""}`) });
      const node = nodes.get(id), at = place.get(op.id) ?? { x: 0, y: 0 };
      node.x += at.x;
      node.y += at.y;
      ++node.count;
    }
    for (const op of computation.instructions) {
      for (const operand of op.operands) {
        const from = nodeOf.get(operand), to = nodeOf.get(op.id);
        if (from === undefined || from === to) continue;
        nodes.get(to).operands.add(from);
        nodes.get(from).users.add(to);
      }
    }
    const order = [...nodes.values()];
    for (const node of order) {
      node.x /= node.count;
      node.y /= node.count;
    }
    order.sort((a, b) => a.y - b.y || a.x - b.x || a.id - b.id);
    return { ...drawn(order, nodes), scopes, nodeOf };
  }

  const widthOf = (...lines) => Math.min(320, Math.max(150, 7.3 * Math.max(...lines.map((line) => line.length)) + 26));

  function drawn(order, nodes) {
    // Longest paths from above, along edges that lead down in the order; a node without operands is
    // just above its first user.
    order.forEach((node, k) => { node.order = k; });
    const before = (node) => [...node.operands].map((id) => nodes.get(id)).filter((other) => other.order < node.order);
    for (const node of order) node.rank = Math.max(-1, ...before(node).map((other) => other.rank)) + 1;
    for (const node of order) {
      const users = [...node.users].map((id) => nodes.get(id).rank);
      if (node.operands.size === 0 && users.length > 0) node.rank = Math.max(0, Math.min(...users) - 1);
    }
    const rows = [];
    for (const node of order) (rows[node.rank] ??= []).push(node);
    const filled = rows.filter(Boolean), total = (row) => row.reduce((sum, node) => sum + node.width + kGap, 0);
    const width = Math.max(...filled.map(total));
    filled.forEach((row, k) => {
      row.sort((a, b) => a.x - b.x || a.order - b.order);
      let left = (width - total(row)) / 2;
      for (const node of row) {
        node.at = { x: left + kGap / 2 + node.width / 2, y: k * kRow + kHeight / 2 };
        left += node.width + kGap;
      }
    });
    const edges = [];
    for (const node of order) {
      for (const id of node.operands) {
        const from = nodes.get(id).at, down = from.y < node.at.y ? 1 : -1;
        const start = [from.x, from.y + (down * kHeight) / 2], end = [node.at.x, node.at.y - (down * kHeight) / 2];
        // Beside the nodes between, where there are any.
        const aside = Math.abs(from.y - node.at.y) > 1.5 * kRow ? [from.x + kAside, start[1] + (down * kRow) / 2, node.at.x + kAside, end[1] - (down * kRow) / 2] : [];
        edges.push([id, node.id, [...start, ...aside, ...end]]);
      }
    }
    return { width, height: filled.length * kRow, nodes: order.map((node) => [node.id, node.at.x, node.at.y, node.width, kHeight]), edges };
  }

  return { parts, ScopeTree, layOut };
})();
