// The element that an instruction's panel opens with: a refuted one, else one that reads something.
const Start = (() => {
  const kTries = 24, kMostChoices = 1024;

  const dimsOf = (op, leaf) => op.arrays[leaf]?.dims;
  const same = (a, b) => a && b && a.length === b.length && a.every((size, d) => size === b[d]);

  // {output, operand (null: the element is of the result), index}, or null. Refutations of kernels
  // and passes name elements of results.
  function refuted(module, op) {
    const computation = module.computationOf(op), isRoot = op.id === computation.root;
    for (const one of module.refutations ?? []) {
      const of = one.maps ? one.from : one.at;
      if (!of || !(of.element >= 0 && of.element < Grid.product(of.dims))) continue;
      const index = Grid.indexOf(of.dims, of.element);
      if (one.maps) {
        if (one.instruction !== op.id) continue;
        const operand = op.operands.findIndex((id) => module.byId.get(id)?.name === of.array && same(dimsOf(module.byId.get(id), 0), of.dims));
        if (of.array === op.name && same(dimsOf(op, 0), of.dims)) return { output: 0, operand: null, index };
        if (operand >= 0) return { output: 0, operand, index };
        continue;
      }
      const isOf = one.pass !== undefined ? isRoot && computation.entry
        : one.claim === "values" && (isRoot || op.opcode === "fusion") && (module.kernels[one.kernel]?.instructions ?? []).includes(op.id);
      const output = one.leaf ?? 0;
      if (isOf && same(dimsOf(op, output), of.dims)) return { output, operand: null, index };
    }
    return null;
  }

  // Elements of an array of these sizes: away from the corner, where there is more to see, then the
  // middle, both ends and others that lie evenly.
  function* candidates(dims) {
    const at = (place) => dims.map((size, d) => Math.min(size - 1, Math.floor(size * place(d))));
    for (const share of [1 / 3, 1 / 2, 0, 1]) yield at(() => share);
    for (let k = 1; k <= kTries; ++k) yield at((d) => (k * (0.618033988749895 + 0.137 * d)) % 1);
  }

  // An element of the array that another one is sent to, of the first choices of variables; or null.
  function anImage(module, labeled, index, dims) {
    let found = null;
    for (const one of labeled) {
      const map = module.maps[one.map];
      Maps.image(map, index, (map.runtime ?? []).map((v) => (v.fixed ? v.bounds[0] : undefined)), kMostChoices, (result) => {
        if (!found && result.every((x, d) => x >= 0 && x < dims[d])) found = result.map(Number);
      });
      if (found) break;
    }
    return found;
  }

  // `operands`: [{dims, maps, back}], labeled maps from the result to an operand, and from it to the
  // result. An element that reads the largest operand that is read; null for an array without elements.
  function element(module, dims, operands) {
    if (Grid.product(dims) === 0) return null;
    const all = [...candidates(dims)];
    const bySize = operands.filter((of) => Grid.product(of.dims) > 0).sort((a, b) => Grid.product(b.dims) - Grid.product(a.dims));
    for (const of of bySize) {
      const shows = (index) => index && anImage(module, of.maps, index, of.dims);
      if (shows(all[0])) return all[0];
      // The places that the operand's elements go to, however few these are.
      for (const index of candidates(of.dims)) {
        const place = anImage(module, of.back, index, dims);
        if (shows(place)) return place;
      }
      const found = all.find(shows);
      if (found) return found;
    }
    return all[0];
  }

  return { refuted, element };
})();
