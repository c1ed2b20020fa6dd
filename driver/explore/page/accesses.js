// The elements that the threads of a block touch, and the cost, from the terms of the kernel's accesses
// (driver/explore/kernel_json.h). Sectors and wavefronts are counted as affirm counts them
// (verify/kernel/lift/accesses.cc).
const Accesses = (() => {
  const mod = (a, b) => {
    const rest = a % b;
    return rest < 0 ? rest + b : rest;
  };

  const safe = (x) => {
    if (!Number.isSafeInteger(x)) throw new TooLarge();
    return x;
  };
  class TooLarge extends Error {}

  // Evaluates nodes of the kernel's terms for one thread of one block; null depends on data. With
  // doubles where these hold everything on the way, else with integers of any size.
  class Place {
    constructor(kernel) {
      this.nodes = kernel.terms;
      this.kernel = kernel;
      this.values = new Array(kernel.terms.length);
      this.stamps = new Int32Array(kernel.terms.length).fill(-1);
      this.stamp = 0;
    }
    at(block, thread) {
      this.block = block;
      this.thread = thread;
      ++this.stamp;
    }
    variable(name) {
      const isBlock = name.startsWith("bl_"), axis = name.charCodeAt(3) - 120;
      const sizes = isBlock ? this.kernel.grid : this.kernel.threads;
      let number = isBlock ? this.block : this.thread;
      for (let k = 0; k < axis; ++k) number = Math.floor(number / sizes[k]);
      return mod(number, sizes[axis]);
    }
    // A number, or null.
    number(id) {
      try {
        return this.value(id);
      } catch (error) {
        if (!(error instanceof TooLarge)) throw error;
        const exact = this.exact(this.nodes[id]);
        return exact === null ? null : Number(exact);
      }
    }
    exact(node) {
      const part = (k) => this.exact(this.nodes[node[k]]);
      const all = (first, step) => {
        const list = [];
        for (let k = first; k < node.length; k += step) list.push(part(k));
        return list.includes(null) ? null : list;
      };
      const truth = (x) => (x ? 1n : 0n);
      switch (node[0]) {
        case "n": return BigInt(node[1]);
        case "v": return BigInt(this.variable(node[1]));
        case "+": return all(3, 2)?.reduce((sum, x, k) => sum + BigInt(node[2 + 2 * k]) * x, BigInt(node[1])) ?? null;
        case "*": return all(1, 1)?.reduce((product, x) => product * x, 1n) ?? null;
        case "/": {
          const a = part(1), b = BigInt(node[2]);
          return a === null ? null : a / b - truth(a % b < 0n);
        }
        case "max": return all(1, 1)?.reduce((x, y) => (x > y ? x : y)) ?? null;
        case "?": {
          const condition = part(1);
          return condition === null ? null : part(condition !== 0n ? 2 : 3);
        }
        case ">=0": case "=0": case "!": {
          const a = part(1);
          return a === null ? null : truth(node[0] === ">=0" ? a >= 0n : a === 0n);
        }
        case "&": {
          const list = [];
          for (let k = 1; k < node.length; ++k) list.push(part(k));
          return list.includes(0n) ? 0n : list.includes(null) ? null : 1n;
        }
        default: return null;
      }
    }
    value(id) {
      if (this.stamps[id] === this.stamp) return this.values[id];
      const value = this.compute(this.nodes[id]);
      this.stamps[id] = this.stamp;
      this.values[id] = value;
      return value;
    }
    compute(node) {
      switch (node[0]) {
        case "n": return safe(Number(node[1]));
        case "v": return this.variable(node[1]);
        case "+": {
          let sum = safe(Number(node[1]));
          for (let k = 2; k < node.length; k += 2) {
            const part = this.value(node[k + 1]);
            if (part === null) return null;
            sum = safe(sum + safe(Number(node[k]) * part));
          }
          return sum;
        }
        case "/": {
          const a = this.value(node[1]);
          return a === null ? null : (a - mod(a, safe(Number(node[2])))) / node[2];
        }
        case "max": {
          const a = this.value(node[1]), b = this.value(node[2]);
          return a === null || b === null ? null : Math.max(a, b);
        }
        case "*": {
          let product = 1;
          for (let k = 1; k < node.length; ++k) {
            const part = this.value(node[k]);
            if (part === null) return null;
            product = safe(product * part);
          }
          return product;
        }
        case "?": {
          const condition = this.value(node[1]);
          return condition === null ? null : this.value(node[condition !== 0 ? 2 : 3]);
        }
        case ">=0": {
          const a = this.value(node[1]);
          return a === null ? null : a >= 0 ? 1 : 0;
        }
        case "=0": case "!": {
          const a = this.value(node[1]);
          return a === null ? null : a === 0 ? 1 : 0;
        }
        case "&": {
          let open = false;
          for (let k = 1; k < node.length; ++k) {
            const part = this.value(node[k]);
            if (part === 0) return 0;
            open = open || part === null;
          }
          return open ? null : 1;
        }
        default: return null;
      }
    }
  }

  // For each group (an instruction that touches memory), by thread, what it does in order:
  // [{state: "executed"|"masked"|"data", first, bytes, memory}].
  function ofBlock(kernel, block) {
    const threads = kernel.threads[0] * kernel.threads[1] * kernel.threads[2];
    const groups = kernel.groups.map(() => Array.from({ length: threads }, () => []));
    const place = new Place(kernel);
    for (const one of kernel.cases) {
      place.at(block, 0);
      if (one.facts.some((fact) => place.number(fact) === 0)) continue;
      for (const [group, thread, memory, offset, bytes, guard] of one.accesses) {
        const from = Math.max(thread, 0), end = thread < 0 ? threads : thread + 1;
        for (let t = from; t < end; ++t) {
          place.at(block, t);
          const runs = place.number(guard);
          if (runs === 0) {
            groups[group][t].push({ state: "masked", bytes, memory });
            continue;
          }
          const first = place.number(offset);
          const state = runs === null || first === null ? "data" : "executed";
          groups[group][t].push({ state, first, bytes, memory });
        }
      }
    }
    return groups;
  }

  // The accesses of one warp: the k-th time that a lane executes the instruction belongs to the k-th.
  // A lane that is masked is listed where it would have taken part.
  function ofWarp(kernel, byThread, warp) {
    const lanes = kernel.model.lanes, accesses = [];
    const access = (k) => (accesses[k] ??= { lanes: [], masked: [], data: [] });
    for (let lane = 0; lane < lanes; ++lane) {
      let k = 0;
      for (const one of byThread[warp * lanes + lane] ?? []) {
        if (one.state === "masked") access(k).masked.push(lane);
        else if (one.state === "data") access(k++).data.push(lane);
        else access(k++).lanes.push({ lane, ...one });
      }
    }
    return accesses.filter(Boolean);
  }

  const before = (a, b) => a.memory - b.memory || a.first - b.first || a.bytes - b.bytes;

  // The numbers of the units of `size` bytes that lanes touch, by memory.
  function units(lanes, size) {
    const touched = new Set();
    for (const { memory, first, bytes } of lanes) {
      for (let u = Math.floor(first / size); u <= Math.floor((first + bytes - 1) / size); ++u) touched.add(memory + ":" + u);
    }
    return touched;
  }

  // {sectors, ideal} of global memory, {wavefronts, ideal, groups: [[words of bank 0, ..], ..]} of
  // shared memory.
  function cost(kernel, lanes, shared) {
    const model = kernel.model;
    if (!shared) {
      const bytes = units(lanes, 1).size;
      return { sectors: units(lanes, model.sector_bytes).size, ideal: Math.ceil(bytes / model.sector_bytes) };
    }
    const together = new Map();
    for (const lane of lanes) {
      const most = Math.min(model.lanes, Math.max(1, Math.floor((model.banks * model.bank_bytes) / Math.max(lane.bytes, 1))));
      const number = Math.floor(lane.lane / most);
      if (!together.has(number)) together.set(number, []);
      together.get(number).push(lane);
    }
    let wavefronts = 0;
    const groups = [];
    for (const group of together.values()) {
      const banks = Array.from({ length: model.banks }, () => new Map());
      for (const { lane, memory, first, bytes } of group) {
        for (let word = Math.floor(first / model.bank_bytes); word <= Math.floor((first + bytes - 1) / model.bank_bytes); ++word) {
          const words = banks[mod(word, model.banks)], key = memory + ":" + word;
          if (!words.has(key)) words.set(key, []);
          words.get(key).push(lane);
        }
      }
      wavefronts += Math.max(0, ...banks.map((words) => words.size));
      groups.push(banks.map((words) => [...words.values()]));
    }
    return { wavefronts, ideal: together.size, groups };
  }

  // The sums over blocks, as affirm's counts have them: for tests, and for a block as a whole.
  function totals(kernel, group, blocks) {
    const shared = kernel.groups[group].shared, sum = { accesses: 0, units: 0, ideal: 0, most: 0 };
    for (let block = blocks[0]; block < blocks[1]; ++block) {
      const byThread = ofBlock(kernel, block)[group];
      for (let warp = 0; warp * kernel.model.lanes < byThread.length; ++warp) {
        for (const access of ofWarp(kernel, byThread, warp)) {
          if (access.lanes.length === 0) continue;
          const one = cost(kernel, access.lanes, shared);
          const units = shared ? one.wavefronts : one.sectors;
          ++sum.accesses;
          sum.units += units;
          sum.ideal += one.ideal;
          sum.most = Math.max(sum.most, units);
        }
      }
    }
    return sum;
  }

  // The indices of the elements in some bytes of a parameter's buffer, null for one outside of it.
  function elementsIn(param, first, bytes) {
    const indices = [];
    for (let position = Math.floor((first * 8) / param.bits); position * param.bits < (first + bytes) * 8; ++position) {
      const index = new Array(param.dims.length).fill(0);
      let rest = position;
      for (const d of param.minor_to_major) {
        index[d] = mod(rest, param.dims[d]);
        rest = (rest - index[d]) / param.dims[d];
      }
      indices.push(rest === 0 ? index : null);
    }
    return indices;
  }

  return { ofBlock, ofWarp, cost, totals, elementsIn };
})();
