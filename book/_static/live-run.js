/* A chapter's case, run on its page: see book/_ext/live/live_run.py for the box, live-files.js for what it loads, and the
   scripts that it names for the machine (LiveRun) and what it says (LiveProtocol). Nothing is loaded before the first
   click; what a guest says becomes words and the elements of a picture, never markup. */
"use strict";
(() => {

const MODES = [
  { id: "fault", words: "Run it again", row: "live, in this tab", told: false, trace: false },
  { id: "told", words: "With the route told beforehand", row: "live, route MTU 1480 told beforehand", told: true, trace: false },
  { id: "traced", words: "With the kernel's stacks", row: "live, traced", told: false, trace: true },
];
const TERMINAL = { id: "terminal", words: "A terminal in its hosts" };
const TIMES = [["A", "a_ms"], ["B", "b_ms"], ["B again", "b_again_ms"]];
const { Files, loaded, megabytes, total } = globalThis.LivePage;

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
    this.button(`Run it here (loads ${megabytes(total(this.live))} MB)`, MODES[0]);
    element.hidden = false;
  }

  button(words, mode) {
    const button = make("button", { type: "button", class: "wpw-live-button", "data-mode": mode.id }, words);
    button.addEventListener("click", () => this.busyWith(button, mode === TERMINAL ? () => this.terminal() : () => this.clicked(mode)));
    this.buttons.append(button);
    return button;
  }

  say(words) {
    if (this.said.textContent !== words) this.said.textContent = words;  // or it would be read out again
  }

  busy(is) {
    for (const button of this.buttons.children) button.disabled = is;
  }

  /* Who has not gone elsewhere meanwhile finds the keyboard where it was, and the page where it stood. */
  async busyWith(pressed, work) {
    this.busy(true);
    try {
      await work();
    } catch (error) {
      console.warn(error);
      const first = error.message.split("\n")[0].replace(/\.?$/, ".");
      this.say(`It could not be run here. ${first} The recorded run above is not touched by that. Try again, or run it in the lab.`);
    }
    this.busy(false);
    if (document.activeElement === document.body) (pressed.isConnected ? pressed : this.buttons.firstChild).focus({ preventScroll: true });
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
    this.loaded ??= await loaded(this.live, words => this.say(words));
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
      this.button(mode.words, mode);
    this.opens = this.button(`${TERMINAL.words} (loads ${megabytes(total(this.live, true))} MB)`, TERMINAL);
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
