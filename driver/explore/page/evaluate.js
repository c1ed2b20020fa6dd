// Maps at points. A map of the data (driver/explore/map_json.h) is the function that sends a choice
// of dims and runtime variables to a set of results over its range variables; what this file
// computes agrees with affirm's own evaluator (tests/explore).
const Maps = (() => {
  const kInt64 = 63n, kWide = 127n;
  const fits = (value, bits) => value >= -(1n << bits) && value < (1n << bits);

  // Integers that are safe in a double are computed with doubles; where one is not, the answer is
  // NaN, and everything is computed once more with integers of any size.
  const safe = (x) => (Number.isSafeInteger(x) ? x : NaN);
  const floorDiv = (a, b) => {
    if (b === 0) return NaN;
    const rest = a % b;
    return (a - rest) / b - (rest !== 0 && (rest < 0) !== (b < 0) ? 1 : 0);
  };
  const floorMod = (a, b) => {
    if (!(b > 0)) return NaN;
    const rest = a % b;
    return rest < 0 ? rest + b : rest;
  };

  const letters = { d: "dims", s: "ranges", t: "runtime" };

  // A function from a point {dims, ranges, runtime} to a double, or NaN.
  function compile(tree) {
    if (tree === null) return () => NaN;
    if (typeof tree === "number") return () => tree;
    if (typeof tree === "string") {
      const list = letters[tree[0]], index = Number(tree.slice(1));
      return (point) => (index < point[list].length ? safe(point[list][index]) : NaN);
    }
    const [op, ...rest] = tree;
    if (op === "c") return () => NaN;
    if (op === "+" || op === "*") {
      const constant = typeof rest[0] === "number" ? rest[0] : NaN;
      const parts = rest.slice(1).map(compile);
      if (op === "+") {
        return (point) => parts.reduce((sum, part) => safe(sum + part(point)), constant);
      }
      return (point) => parts.reduce((product, part) => safe(product * part(point)), constant);
    }
    const parts = rest.map(compile);
    const [a, b] = parts;
    switch (op) {
      case "floordiv": return (point) => safe(floorDiv(a(point), b(point)));
      case "ceildiv": return (point) => safe(-floorDiv(-a(point), b(point)));
      case "mod": return (point) => safe(floorMod(a(point), b(point)));
      case "min": return (point) => Math.min(...parts.map((part) => part(point)));
      case "max": return (point) => Math.max(...parts.map((part) => part(point)));
      default: return () => NaN;
    }
  }

  class NoValue extends Error {}

  // The same with integers of any size. Throws NoValue where there is none.
  function exact(tree, point) {
    if (tree === null) throw new NoValue();
    if (typeof tree === "number") return BigInt(tree);
    if (typeof tree === "string") {
      const value = point[letters[tree[0]]][Number(tree.slice(1))];
      if (value === undefined) throw new NoValue();
      return BigInt(value);
    }
    const [op, ...rest] = tree;
    if (op === "c") return BigInt(rest[0]);
    let value;
    if (op === "+" || op === "*") {
      value = BigInt(rest[0]);
      for (const part of rest.slice(1)) {
        const next = exact(part, point);
        value = op === "+" ? value + next : value * next;
      }
    } else {
      const parts = rest.map((part) => exact(part, point));
      const [a, b] = parts;
      const quotient = (x, y) => {
        if (y === 0n) throw new NoValue();
        return x / y - (x % y !== 0n && (x < 0n) !== (y < 0n) ? 1n : 0n);
      };
      if (op === "floordiv") value = quotient(a, b);
      else if (op === "ceildiv") value = -quotient(-a, b);
      else if (op === "mod") {
        if (b <= 0n) throw new NoValue();
        value = ((a % b) + b) % b;
      } else if (op === "min" || op === "max") {
        value = parts.reduce((x, y) => ((op === "min") === (x < y) ? x : y));
      } else throw new NoValue();
    }
    if (!fits(value, kWide)) throw new NoValue();
    return value;
  }

  const compiled = new WeakMap();
  function programOf(map) {
    let program = compiled.get(map);
    if (!program) {
      program = {
        results: map.results.map(compile),
        constraints: map.constraints.map(([tree, lower, upper]) => ({
          tree, run: compile(tree),
          lower: lower === null ? null : Number(lower), upper: upper === null ? null : Number(upper),
          exactLower: lower === null ? null : BigInt(lower),
          exactUpper: upper === null ? null : BigInt(upper),
        })),
      };
      compiled.set(map, program);
    }
    return program;
  }

  // A value of an expression: a number, a BigInt where a double does not hold it, or null.
  function value(tree, run, point) {
    const quick = run(point);
    if (!Number.isNaN(quick)) return quick + 0;
    try {
      const slow = exact(tree, point);
      if (!fits(slow, kInt64)) return null;
      const number = Number(slow);
      return Number.isSafeInteger(number) ? number : slow;
    } catch (error) {
      if (error instanceof NoValue) return null;
      throw error;
    }
  }

  const inside = (x, [lower, upper]) =>
    (lower === null || BigInt(x) >= BigInt(lower)) && (upper === null || BigInt(x) <= BigInt(upper));
  const insideNumber = (x, bounds) =>
    typeof x === "number" && typeof bounds[0] !== "string" && typeof bounds[1] !== "string"
      ? (bounds[0] === null || x >= bounds[0]) && (bounds[1] === null || x <= bounds[1])
      : inside(x, bounds);

  function constraintsHold(map, point) {
    for (const c of programOf(map).constraints) {
      const quick = c.run(point);
      if (!Number.isNaN(quick)) {
        if ((c.lower !== null && quick < c.lower) || (c.upper !== null && quick > c.upper)) return false;
        continue;
      }
      let slow;
      try {
        slow = exact(c.tree, point);
      } catch (error) {
        if (error instanceof NoValue) return false;
        throw error;
      }
      if ((c.exactLower !== null && slow < c.exactLower) || (c.exactUpper !== null && slow > c.exactUpper)) return false;
    }
    return true;
  }

  // Whether all bounds and constraints hold at the point {dims, ranges, runtime}.
  function inDomain(map, point) {
    if (map.state) return false;
    const all = [[map.dims, point.dims], [map.ranges, point.ranges], [map.runtime.map((v) => v.bounds), point.runtime]];
    for (const [bounds, values] of all) {
      if (bounds.length !== values.length) return false;
      for (let i = 0; i < bounds.length; ++i) if (!insideNumber(values[i], bounds[i])) return false;
    }
    return constraintsHold(map, point);
  }

  // The results at a point, null where one has no value. Does not look at the domain.
  function results(map, point) {
    const program = programOf(map), out = [];
    for (let i = 0; i < map.results.length; ++i) {
      const one = value(map.results[i], program.results[i], point);
      if (one === null) return null;
      out.push(one);
    }
    return out;
  }

  // Calls fn for each choice of variables within finite bounds, the last the fastest, until it says
  // false. Answers whether that did not happen.
  function forEachChoice(given, fn) {
    // Ends that no double holds are texts; then both are integers of any size.
    const bounds = given.map((ends) => (ends.some((end) => typeof end === "string") ? ends.map((end) => (end === null ? end : BigInt(end))) : ends));
    const now = bounds.map(([lower]) => lower);
    if (bounds.some(([lower, upper]) => lower === null || upper === null || lower > upper)) return true;
    while (true) {
      if (fn(now) === false) return false;
      let k = bounds.length - 1;
      while (k >= 0 && ++now[k] > bounds[k][1]) now[k] = bounds[k][0], --k;
      if (k < 0) return true;
    }
  }

  // The set that the map sends dims to: calls fn(result) for each result, some more than once.
  // `chosen[i]` is the value of runtime variable i; undefined: all of its values. Answers whether
  // all were visited within `limit` choices.
  function image(map, dims, chosen, limit, fn) {
    if (map.state === "empty") return true;
    if (map.state) return false;
    for (let i = 0; i < dims.length; ++i) if (!insideNumber(dims[i], map.dims[i])) return true;
    const runtime = map.runtime.map((v, i) => (chosen[i] === undefined ? v.bounds : [chosen[i], chosen[i]]));
    for (let i = 0; i < runtime.length; ++i) if (!insideNumber(runtime[i][0], map.runtime[i].bounds)) return true;
    if ([...map.ranges, ...runtime].some(([lower, upper]) => lower === null || upper === null)) return false;
    const point = { dims, ranges: [], runtime: [] };
    let left = limit;
    return forEachChoice(runtime, (values) => {
      point.runtime = values;
      return forEachChoice(map.ranges, (ranges) => {
        if (left-- <= 0) return false;
        point.ranges = ranges;
        if (!constraintsHold(map, point)) return true;
        const result = results(map, point);
        if (result) fn(result);
        return true;
      });
    });
  }

  return { inDomain, results, image, forEachChoice };
})();
