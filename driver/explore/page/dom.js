// Elements of the page, and what all of its parts use.
const Dom = (() => {
  function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes ?? {})) {
      if (value === undefined || value === null) continue;
      // States are words; other attributes are there or not.
      if (name.startsWith("aria-")) node.setAttribute(name, String(value));
      else if (value === false) continue;
      else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value === true ? "" : value);
    }
    for (const child of children.flat(Infinity)) {
      if (child !== null && child !== undefined && child !== false) node.append(child);
    }
    return node;
  }
  const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  const svg = (tag, attributes, ...children) =>
    fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
  const byId = (id) => document.getElementById(id);

  // Shows a text on the last line of the page, which a screen reader reads.
  function say(text) {
    byId("status").textContent = text;
  }

  const signs = { proved: "✓", affirmed: "✓", equal: "✓", executed: "≈", replayed: "✓", refuted: "✗", different: "✗", unknown: "?" };
  const sign = (verdict) => signs[verdict] ?? "";
  // A verdict as a word with a sign, so that color is not all that says it.
  function badge(verdict, title) {
    const kind = { proved: "ok", affirmed: "ok", executed: "open", compared: "ok", replayed: "ok", refuted: "bad", mismatch: "bad" }[verdict] ?? "open";
    return el("span", { class: "badge " + kind, title }, (signs[verdict] ?? "") + " " + verdict);
  }
  const label = (text, title) => el("span", { class: "badge plain", title }, text);

  const plural = (n, one, many) => `${n.toLocaleString("en")} ${n === 1 ? one : many ?? one + "s"}`;

  // The text of a map with its variables in colors of their kinds.
  function mapText(text) {
    const parts = [];
    let last = 0;
    for (const match of text.matchAll(/\b(rt|d|s|th_|bl_)(\d+|[xyz])\b/g)) {
      parts.push(text.slice(last, match.index), el("span", { class: "var-" + match[1].replace("_", "") }, match[0]));
      last = match.index + match[0].length;
    }
    parts.push(text.slice(last));
    return el("code", { class: "map" }, parts);
  }

  // A row of buttons that step through `count` positions; also with the arrow keys.
  function stepper({ name, count, value, change, format }) {
    const text = el("output", { class: "step-text" });
    const box = el("span", { class: "group stepper", role: "group", "aria-label": name });
    const slider = el("input", { type: "range", min: 0, max: Math.max(0, count - 1), value, "aria-label": name });
    const set = (k, tell = true) => {
      const next = Math.max(0, Math.min(count - 1, k));
      slider.value = next;
      slider.setAttribute("aria-valuetext", format(next));
      text.textContent = format(next);
      previous.disabled = next === 0;
      following.disabled = next >= count - 1;
      if (tell) change(next);
    };
    const now = () => Number(slider.value);
    const previous = el("button", { type: "button", "aria-label": name + ": previous", onclick: () => set(now() - 1) }, "◀");
    const following = el("button", { type: "button", "aria-label": name + ": next", onclick: () => set(now() + 1) }, "▶");
    slider.addEventListener("input", () => set(now()));
    if (count > 2) box.append(previous, slider, following, text);
    else box.append(previous, following, text);
    set(value, false);
    box.set = set;
    return box;
  }

  return { el, svg, byId, say, badge, sign, label, plural, mapText, stepper };
})();
