/* A chapter's case, run on its page: see book/_ext/live/live_run.py for the box, and the scripts that it names for the
   machine (LiveRun) and what it says (LiveProtocol). Nothing is loaded before the first click; what a guest says becomes
   words and the elements of a picture, never markup. */
"use strict";
(() => {

const MODES = [
  { id: "fault", words: "Run it again", row: "live, in this tab", told: false, trace: false },
  { id: "told", words: "With the route told beforehand", row: "live, route MTU 1480 told beforehand", told: true, trace: false },
  { id: "traced", words: "With the kernel's stacks", row: "live, traced", told: false, trace: true },
];
const TERMINAL = { id: "terminal", words: "A terminal in its hosts" };
const TIMES = [["A", "a_ms"], ["B", "b_ms"], ["B again", "b_again_ms"]];
const fromFolder = location.protocol === "file:";

class LoadError extends Error {}

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/* A script or a style sheet, by an element of the page's head. */
function added(tag, address, attributes) {
  return new Promise((resolve, reject) => {
    const element = make(tag, attributes);
    element.onload = resolve;
    element.onerror = () => reject(new LoadError(`${address} could not be loaded, or is not the file that was built.`));
    document.head.append(element);
  });
}

function script(address, attributes = {}) {
  return added("script", address, { src: address, ...attributes });
}

/* The browser itself compares a file's hash where it is told one: also of bytes that we have, and also on a page
   without https, where it lends no hash function. */
async function checked(name, blob, integrity) {
  const address = URL.createObjectURL(blob);
  try {
    return await (await fetch(address, { integrity })).arrayBuffer();
  } catch {
    throw new LoadError(`${name} is damaged, or not of this build: its hash is not the one that this page expects.`);
  } finally {
    URL.revokeObjectURL(address);
  }
}

/* As a browser is told the hash that a file is named by, in hexadecimal digits. */
function integrityOf(hash) {
  return `sha256-${btoa(String.fromCharCode(...hash.match(/../g).map(two => parseInt(two, 16))))}`;
}

class Files {
  constructor(live, onBytes) {
    Object.assign(this, { live, onBytes, pieces: new Map() });
  }

  bytes(name) {
    return this.read(this.live.folder, name, this.live.files[name].integrity);
  }

  /* Of a disk, by the hash of its bytes. All machines read the same, so one that is there is not loaded again. */
  piece(hash) {
    if (!this.pieces.has(hash)) {
      const asked = this.read(this.live.pieces, hash, integrityOf(hash));
      asked.catch(() => this.pieces.delete(hash));
      this.pieces.set(hash, asked);
    }
    return this.pieces.get(hash);
  }

  async read(folder, name, integrity) {
    return checked(name, await (fromFolder ? this.fromScript(folder, name) : this.fromServer(folder, name)), integrity);
  }

  async fromServer(folder, name) {
    let answer;
    try {
      answer = await fetch(`${folder}/${name}`);
    } catch {
      throw new LoadError(`${name} could not be loaded: the connection failed.`);
    }
    if (!answer.ok) throw new LoadError(`${name} could not be loaded: the server said ${answer.status}.`);
    const parts = [], reader = answer.body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parts.push(part.value);
      this.onBytes(part.value.length);
    }
    return new Blob(parts);
  }

  /* A letter for each byte: see in_script in live_run.py. An array of bytes keeps of a number the last eight bits. */
  async fromScript(folder, name) {
    await script(`${folder}/${name}.js`, { charset: "x-user-defined" });
    const text = globalThis.LiveFiles[name];
    delete globalThis.LiveFiles[name];
    this.onBytes(text.length);
    const bytes = new Uint8Array(text.length);
    for (let at = 0; at < bytes.length; at++) bytes[at] = text.charCodeAt(at);
    return new Blob([bytes]);
  }

  async script(name) {
    await script(`${this.live.folder}/${name}`, this.hash(name));
    this.onBytes(this.live.files[name].bytes);
  }

  /* Browsers compare none of a folder's. */
  hash(name) {
    return fromFolder ? {} : { integrity: this.live.files[name].integrity };
  }

  /* xterm.js. */
  async terminal() {
    for (const name of this.live.terminal) {
      const address = `${this.live.folder}/${name}`;
      if (name.endsWith(".css")) await added("link", address, { rel: "stylesheet", href: address, ...this.hash(name) });
      else await this.script(name);
    }
  }

  /* In their order: each may need the one before it. */
  async driver() {
    for (const name of this.live.scripts) await this.script(name);
  }

  /* All that a machine is restored from; `settings` are those of the one whose memory was saved. */
  async all() {
    const [packed, state, disks] = await Promise.all([this.bytes("v86.wasm.gz"), this.bytes("state.zst"),
      this.bytes("disks.json"), this.script("libv86.js"), this.driver()]);
    const wasm = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
    return { V86: globalThis.V86, wasm, state, settings: this.live.settings,
      disks: JSON.parse(new TextDecoder().decode(disks)), piece: hash => this.piece(hash) };
  }
}

/* Whether the tab was in the background, where a browser may slow it down: an instrument that does not look at who
   waited. */
function watched() {
  let hidden = document.hidden;
  const look = () => { hidden ||= document.hidden; };
  document.addEventListener("visibilitychange", look);
  return () => {
    document.removeEventListener("visibilitychange", look);
    return hidden;
  };
}

/* What was measured, and whether it counts. */
function judged({ waited_ms, measured, reason, instruments }, hidden) {
  const reasons = [reason, hidden && "the tab was in the background"].filter(Boolean);
  return { waited_ms, measured: measured && !hidden, ...(reasons.length && { reason: reasons.join("; ") }), instruments };
}

class Box {
  constructor(element) {
    this.live = JSON.parse(element.dataset.live);
    this.recorded = JSON.parse(element.dataset.recorded);
    this.buttons = element.querySelector(".wpw-live-buttons");
    this.said = element.querySelector(".wpw-live-said");
    this.seen = element.querySelector(".wpw-live-seen");
    this.rows = this.opens = null;
    this.loaded = null;
    this.place = element.querySelector(".wpw-live-place");
    this.button(`Run it here (loads ${this.megabytes(this.total())} MB)`, MODES[0]);
    element.hidden = false;
  }

  /* In bytes, of what a run needs, or a terminal besides. */
  total(terminal = false) {
    return Object.entries(this.live.files).filter(([name]) => this.live.terminal.includes(name) === terminal)
      .reduce((sum, [, file]) => sum + file.bytes, 0);
  }

  megabytes(bytes) {
    return (bytes / 1e6).toFixed(1);
  }

  button(words, mode) {
    const button = make("button", { type: "button", class: "wpw-live-button", "data-mode": mode.id }, words);
    button.addEventListener("click", () => this.busyWith(mode === TERMINAL ? () => this.terminal() : () => this.clicked(mode)));
    this.buttons.append(button);
    return button;
  }

  say(words) {
    this.said.textContent = words;
  }

  busy(is) {
    for (const button of this.buttons.children) button.disabled = is;
  }

  async busyWith(work) {
    this.busy(true);
    try {
      await work();
    } catch (error) {
      console.warn(error);
      const first = error.message.split("\n")[0].replace(/\.?$/, ".");
      this.say(`It could not be run here. ${first} The recorded run above is not touched by that. Try again, or run it in the lab.`);
    }
    this.busy(false);
  }

  async clicked(mode) {
    const begin_ms = performance.now();
    await this.load();
    if (!this.rows) this.table();
    const row = make("tr", {}, make("th", { scope: "row" }, mode.row), ...TIMES.map(() => make("td", {}, "…")));
    this.rows.append(row);
    try {
      this.show(mode, await this.run(mode, row, begin_ms), begin_ms);
    } catch (error) {
      row.remove();
      throw error;
    }
  }

  /* No run meanwhile: the two machines would hold each other up. */
  async terminal() {
    if (!globalThis.Terminal) await new Files(this.live, () => {}).terminal();
    this.say("A machine of its own wakes, with a prompt at its hosts; no other run can be made until the terminal is closed.");
    this.opens.textContent = TERMINAL.words;
    const machine = await globalThis.LiveRun.restored(this.loaded);
    try {
      await globalThis.LiveTerminal.open({ Terminal: globalThis.Terminal, machine, held: this.live.held, place: this.place });
    } finally {
      await machine.end();
    }
    this.say("The terminal is closed and its machine has ended: nothing that was changed in it is left.");
    this.busy(false);
    this.opens.focus();
  }

  async load() {
    if (this.loaded) return;
    let bytes = 0, waiting = true;
    const files = new Files(this.live, count => {
      bytes += count;
      if (waiting) this.say(`Loading: ${this.megabytes(bytes)} of ${this.megabytes(this.total())} MB`);
    });
    try {
      this.loaded = await files.all();
    } finally {
      waiting = false;  // where one file failed, the others may still come
    }
  }

  /* The times are shown as soon as they are known, and the pictures as they come. */
  async run({ told, trace }, row, begin_ms) {
    const wasHidden = watched(), page = {};
    let known;
    this.pictures.begins();
    this.say("The kernel wakes …");
    const machine = await globalThis.LiveRun.restored(this.loaded);
    try {
      const outcome = await globalThis.LiveProtocol.run(machine, this.live.held, { told, trace }, said => {
        const words = globalThis.LiveProtocol.words(said);
        if (words) this.say(words);
        if (said.kind === "ends") this.times(row, known = judged(said, wasHidden()));
        if (said.kind === "figure") {
          this.pictures.draw(said);
          page.click_to_ladder_ms ??= Math.round(performance.now() - begin_ms);
        }
      });
      return { ...outcome, ...known, kernel: this.live.release, page };
    } finally {
      await machine.end();
      this.pictures.over();
    }
  }

  times(row, { measured, reason, waited_ms }) {
    row.replaceChildren(row.firstChild, ...(measured ? TIMES.map(([name]) => make("td", {}, waited_ms[name].toFixed(1)))
      : [make("td", { colspan: TIMES.length }, `not measured: ${reason}`)]));
  }

  show(mode, run, begin_ms) {
    if (!this.opens) this.choices();
    const told = TIMES.map(([name]) => `${name} waited ${run.waited_ms[name].toFixed(1)} ms`).join(", ");
    this.say(run.measured ? `${mode.row}: ${told}.`
      : `Not measured: ${run.reason}. That says nothing of the kernel; run it again.`);
    run.page.click_to_shown_ms = Math.round(performance.now() - begin_ms);
    this.data(mode, run);
  }

  /* With the recorded run in its first row; below it the pictures. */
  table() {
    const drawn = make("div", { class: "wpw-live-pictures" });
    this.pictures = new globalThis.LivePictures.Pictures(drawn);
    this.rows = make("tbody", {}, make("tr", {}, make("th", { scope: "row" }, "recorded, in the lab VM"),
      ...TIMES.map(([, key]) => make("td", {}, this.recorded[key].toFixed(1)))));
    this.seen.append(make("div", { class: "wpw-scroll", tabindex: "0", role: "region", "aria-label": "How long each waited" },
      make("table", { class: "wpw-live-times" }, make("caption", {}, "How long each waited for its answer, in ms, by the guest's own clock"),
        make("thead", {}, make("tr", {}, make("td"), ...TIMES.map(([name]) => make("th", { scope: "col" }, name)))),
        this.rows)), drawn);
  }

  /* The buttons for further runs. */
  choices() {
    this.buttons.replaceChildren();
    for (const mode of MODES)
      if (this.live.traces || !mode.trace) this.button(mode.words, mode);
    this.opens = this.button(`${TERMINAL.words} (loads ${this.megabytes(this.total(true))} MB)`, TERMINAL);
    this.buttons.firstChild.focus();
  }

  data(mode, run) {
    const text = JSON.stringify(run, null, 1);
    this.details?.remove();
    const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    this.details = make("details", {}, make("summary", {}, "The data of this run"),
      make("p", {}, make("a", { href: address, download: `${mode.id}-live.json` }, "Download it")),
      make("pre", { "data-live-run": "", tabindex: "0", role: "region", "aria-label": "The data of this run, as JSON" }, text));
    this.seen.append(this.details);
  }
}

if (globalThis.WebAssembly && globalThis.DecompressionStream)
  for (const element of document.querySelectorAll(".wpw-live")) new Box(element);

})();
