// SPDX-License-Identifier: Apache-2.0
// Shows the table of events as a running core. All values come from the table; nothing is computed
// here but which of them holds in a cycle.
"use strict";

(() => {
  const id = (name) => document.getElementById(name);
  const view = id("view");
  const data = Object.fromEntries(
    ["cycles", "digits", "upward", "bits", "inversion", "inverted", "span", "opening"]
      .map((name) => [name, Number(view.dataset[name])]));
  const units = view.dataset.units.split("|"), registers = view.dataset.registers.split("|");
  const parts = view.dataset.parts.split("|").map((text) => {
    const [cycle, ...name] = text.split(" ");
    return { cycle: Number(cycle), name: name.join(" ") };
  });

  // ---------------------------------------------------------------- the table, read once
  const starts = units.map(() => []); // by unit, in order of cycles
  const writes = registers.map(() => []); // by register
  const digits = []; // {cycle, index, value}
  const notes = new Map(); // cycle -> lines
  const cycles = []; // in which something happens

  for (const row of id("events").tBodies[0].rows) {
    const cycle = Number(row.dataset.cycle);
    const lines = [];
    cycles.push(cycle);
    const digit = row.querySelector("[data-digit]");
    if (digit) digits.push({ cycle, index: Number(digit.dataset.digit), value: digit.dataset.value });
    for (const p of row.querySelectorAll("p")) {
      const name = p.querySelector("b").textContent;
      const codes = Array.from(p.querySelectorAll("code"), (c) => c.textContent);
      lines.push(p.dataset.test ? p.textContent : `${name}${
        p.dataset.unit ? `: starts on ${units[p.dataset.unit]}` : `: into ${registers[p.dataset.register]}`}`);
      if (p.dataset.unit) {
        starts[p.dataset.unit].push(
          { cycle, name, codes, end: Number(p.dataset.end), done: Number(p.dataset.done) });
      } else if (p.dataset.register) {
        writes[p.dataset.register].push({ cycle, name, value: codes[0] });
      }
    }
    notes.set(cycle, lines);
  }

  // The last entry of a list that is not after a cycle, or undefined.
  function latest(list, cycle) {
    let low = 0, high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle].cycle <= cycle) low = middle + 1; else high = middle;
    }
    return list[low - 1];
  }

  // ---------------------------------------------------------------- what is drawn
  function rows(table, labels) {
    const body = table.tBodies[0];
    return labels.map((label) => {
      const row = body.insertRow();
      const head = document.createElement("th");
      head.scope = "row";
      head.textContent = label;
      row.append(head);
      return { row, first: row.insertCell(), second: row.insertCell() };
    });
  }
  const unitRows = rows(id("units"), units);
  const registerRows = rows(id("registers"), registers);

  function code(text) {
    const element = document.createElement("code");
    element.textContent = text;
    return element;
  }

  function part(cycle) {
    if (cycle >= data.cycles) return "the answer is there";
    return latest(parts, cycle).name
      + (cycle >= data.inversion && cycle <= data.inverted ? ", inversion" : "");
  }

  function drawKey(cycle) {
    const now = latest(digits, cycle);
    const known = new Map(digits.filter((b) => b.cycle <= cycle).map((b) => [b.index, b.value]));
    const before = [], after = [];
    let mark = "";
    for (let i = 0; i < data.digits; i++) {
      const index = data.upward ? i : data.digits - 1 - i;
      if (now && index === now.index) mark = known.get(index);
      else (known.has(index) ? before : after).push(known.has(index) ? known.get(index) : "·");
    }
    const between = data.bits ? "" : " ";
    const marked = document.createElement("mark");
    marked.textContent = mark;
    const later = document.createElement("span");
    later.className = "later";
    later.textContent = after.join(between);
    id("key").replaceChildren(before.join(between), between, marked, between, later);
    if (now) id("key").dataset.digit = now.index;
  }

  const SVG = "http://www.w3.org/2000/svg";
  const WIDTH = 1100, LEFT = 110, ROW = 30;

  function shape(name, attributes, text) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    return element;
  }

  function box(strip, cycle, from, to, row, kind, name) {
    const scale = (WIDTH - LEFT) / data.span;
    const low = cycle - Math.floor(data.span / 2);
    const x0 = Math.max(0, from - low), x1 = Math.min(data.span, to + 1 - low);
    if (x1 <= 0 || x0 >= data.span) return;
    const x = LEFT + x0 * scale, width = (x1 - x0) * scale;
    strip.append(shape("rect", { class: kind, x: x + 1, y: row * ROW + 4, width: width - 2, height: ROW - 8, rx: 3 }));
    const room = Math.floor((width - 6) / 7);
    const text = name.length <= room ? name : name.slice(0, Math.max(0, room - 1)) + (room > 1 ? "…" : "");
    if (room > 0) strip.append(shape("text", { x: x + 4, y: row * ROW + 19 }, text));
  }

  function drawStrip(cycle) {
    const strip = id("strip"), height = (units.length + 1) * ROW + 18;
    const low = cycle - Math.floor(data.span / 2), scale = (WIDTH - LEFT) / data.span;
    strip.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
    strip.replaceChildren();
    starts.forEach((list, unit) => {
      strip.append(shape("text", { class: "soft", x: 4, y: unit * ROW + 19 }, units[unit]));
      for (const p of list) {
        if (p.cycle > low + data.span) break;
        box(strip, cycle, p.cycle, p.end, unit, "mul", p.name);
      }
    });
    strip.append(shape("text", { class: "soft", x: 4, y: units.length * ROW + 19 }, "writes"));
    const seen = new Map();
    writes.forEach((list, register) => {
      for (const w of list) {
        if (w.cycle > low + data.span) break;
        if (w.cycle >= low) seen.set(w.cycle, [...(seen.get(w.cycle) ?? []), registers[register]]);
      }
    });
    for (const [at, names] of seen) box(strip, cycle, at, at, units.length, "write", names.join(" "));
    const x = LEFT + (cycle - low) * scale;
    strip.append(shape("rect", { class: "cursor", x, y: 1, width: scale, height: height - 18 }));
    strip.append(shape("text", { class: "soft", x, y: height - 5 }, `${cycle}`));
  }

  function draw(cycle) {
    unitRows.forEach(({ row, first, second }, unit) => {
      const p = latest(starts[unit], cycle);
      const busy = p && cycle <= p.done;
      row.classList.toggle("new", Boolean(busy && p.cycle === cycle));
      first.textContent = !busy ? "idle" : p.done > p.cycle
        ? `${p.name} (cycle ${cycle - p.cycle + 1} of ${p.done - p.cycle + 1})` : p.name;
      const codes = busy ? p.codes.flatMap((text, i) => (i ? [" × ", code(text)] : [code(text)])) : [];
      second.replaceChildren(...codes);
    });
    registerRows.forEach(({ row, first, second }, register) => {
      const w = latest(writes[register], cycle - 1);
      row.classList.toggle("new", Boolean(w && w.cycle === cycle - 1));
      first.textContent = w ? w.name : "nothing yet";
      second.replaceChildren(...(w ? [code(w.value)] : []));
    });
    id("now").replaceChildren(...(notes.get(cycle) ?? ["nothing starts, nothing is written"]).map((line) => {
      const item = document.createElement("li");
      item.textContent = line;
      return item;
    }));
    id("where").textContent = `Cycle ${cycle.toLocaleString("en")} of ${data.cycles.toLocaleString("en")}: ${part(cycle)}`;
    id("result").hidden = cycle < data.cycles;
    drawKey(cycle);
    drawStrip(cycle);
  }

  // ---------------------------------------------------------------- going through it
  let now = 0, playing = false, from = 0, since = 0;

  function go(cycle) {
    now = Math.min(data.cycles, Math.max(0, Math.round(cycle) || 0));
    id("slider").value = now;
    if (document.activeElement !== id("cycle") || playing) id("cycle").value = now;
    draw(now);
    if (!playing) id("said").textContent = id("where").textContent;
  }

  function frame(time) {
    if (!playing) return;
    if (since === 0) since = time;
    const cycle = Math.min(data.cycles, from + Math.floor((time - since) / 1000 * Number(id("speed").value)));
    if (cycle !== now) go(cycle);
    if (now === data.cycles) pause(); else requestAnimationFrame(frame);
  }

  function play() {
    id("hint").hidden = true;
    if (now === data.cycles) go(0);
    playing = true;
    from = now;
    since = 0;
    id("play").textContent = "Pause";
    id("play").setAttribute("aria-pressed", "true");
    requestAnimationFrame(frame);
  }

  function pause() {
    playing = false;
    id("play").textContent = "Play";
    id("play").setAttribute("aria-pressed", "false");
    id("said").textContent = id("where").textContent;
  }

  function jump(cycle) {
    id("hint").hidden = true;
    pause();
    go(cycle);
  }

  const next = () => cycles.find((c) => c > now) ?? data.cycles;
  const deeds = {
    start: () => jump(0), back: () => jump(now - 1), step: () => jump(now + 1), event: () => jump(next()),
    inversion: () => jump(data.inversion), end: () => jump(data.cycles),
    play: () => (playing ? pause() : play()),
  };
  for (const [name, deed] of Object.entries(deeds)) id(name).addEventListener("click", deed);
  id("slider").addEventListener("input", () => jump(Number(id("slider").value)));
  id("cycle").addEventListener("input", () => jump(Number(id("cycle").value)));
  id("speed").addEventListener("change", () => { from = now; since = 0; });
  const keys = { ArrowRight: "step", ArrowLeft: "back", Home: "start", End: "end", i: "inversion", I: "inversion", " ": "play" };
  view.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const tag = event.target.tagName;
    if (tag === "INPUT" || tag === "SELECT" || (tag === "BUTTON" && event.key === " ")) return;
    if (!(event.key in keys)) return;
    event.preventDefault();
    deeds[keys[event.key]]();
  });

  // With this view the table is for who wants it.
  const all = id("all"), details = document.createElement("details"), summary = document.createElement("summary");
  summary.textContent = "Everything that happened, as a table";
  details.append(summary, ...all.childNodes);
  all.append(details);
  view.hidden = false;
  view.tabIndex = 0;
  go(data.opening); // the loop's variables are in their registers, and its first products start
})();
