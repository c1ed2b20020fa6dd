// The view as the fragment of the page's address:
//
//   #module=1:m&computation=e&instruction=n&tab=kernel&access=2
//
// Only what differs from the view that the page opens with is in it. A fragment without "=" is the
// name of an instruction.
const Address = (() => {
  const kDelay = 150;  // milliseconds, so that a drag over elements is one change of the address
  const kMostSteps = 50, kWindow = 10_000;  // steps in so many milliseconds

  // A map of the parts, null prototype, so that no name of a part is that of a method.
  function parse(hash) {
    const state = Object.create(null), text = hash.replace(/^#/, "");
    const add = (key, value) => {
      try {
        state[decodeURIComponent(key)] = decodeURIComponent(value);
      } catch { /* a part that is no text, such as %ff */ }
    };
    if (text === "") return state;
    if (!text.includes("=")) add("instruction", text);
    else for (const part of text.split("&")) if (part.includes("=")) add(part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1));
    return state;
  }

  const encode = (text) => encodeURIComponent(text).replace(/%2C/g, ",").replace(/%3A/g, ":");
  const format = (state) => Object.entries(state).filter(([, value]) => value !== undefined && value !== null)
    .map(([key, value]) => `${encode(key)}=${encode(String(value))}`).join("&");

  // "1,2" or, of a tile, "1,2:3,4", as [first, last]; null where it is no element of the array. The
  // element of a scalar is "".
  function element(text, dims) {
    const ends = String(text).split(":");
    if (ends.length > 2) return null;
    const [first, last] = [ends[0], ends.at(-1)].map((end) => (end === "" ? [] : end.split(",").map((n) => (/^\d{1,15}$/.test(n) ? Number(n) : NaN))));
    const inside = (index) => index.length === dims.length && index.every((i, d) => i < dims[d]);
    return inside(first) && inside(last) && first.every((i, d) => i <= last[d]) ? [first, last] : null;
  }
  const elementText = (first, last) => first.join() + (first.join() === last.join() ? "" : ":" + last.join());

  // A number below `end`, or undefined.
  const number = (text, end) => (/^\d{1,9}$/.test(text ?? "") && Number(text) < end ? Number(text) : undefined);

  // Writes what `state` answers, and hears of addresses that the reader goes to: show(state, isEmpty).
  // While one of these is shown nothing is written.
  class History {
    constructor(state, show) {
      this.state = state;
      this.show = show;
      for (const name of ["popstate", "hashchange"]) window.addEventListener(name, () => this.read());
    }

    // Shows the address. Where nothing in it is known, the view stays.
    read(always = false) {
      const hash = location.hash.replace(/^#/, "");
      if (!always && hash === this.written) return;
      clearTimeout(this.timer);
      this.reading = true;
      try {
        this.show(parse(hash), hash === "");
      } finally {
        this.reading = false;
      }
      this.put("replaceState");
    }
    // A step that the back button undoes. Browsers drop steps that follow each other too fast, as those
    // of a key that is held down: these become one.
    push() {
      if (this.reading) return;
      const now = performance.now();
      this.steps = (this.steps ?? []).filter((time) => now - time < kWindow);
      if (this.steps.length >= kMostSteps) return this.replace();
      this.steps.push(now);
      clearTimeout(this.timer);
      this.put("pushState");
    }
    // A change of the same step.
    replace() {
      if (this.reading) return;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.put("replaceState"), kDelay);
    }
    // Before another step: what was about to be written belongs to this one.
    flush() {
      if (!this.timer) return;
      clearTimeout(this.timer);
      this.put("replaceState");
    }
    put(how) {
      this.timer = null;
      const text = format(this.state());
      if (text === location.hash.replace(/^#/, "")) how = null;
      this.written = text;
      try {
        if (how) history[how](null, "", location.href.split("#")[0] + (text ? "#" + text : ""));
      } catch { /* not from every place */ }
    }
  }

  return { parse, format, element, elementText, number, History };
})();
