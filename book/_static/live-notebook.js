/* A notebook's cells, run on its page: see book/_ext/live/live_notebook.py for the box, live-files.js for what the first
   cell loads, and the scripts that the page names for the machine (LiveRun), what it says (LiveProtocol) and what it draws
   (LiveTree). Nothing is loaded before the first cell; what a guest says becomes words and a picture's elements, never
   markup. */
"use strict";
(() => {

const { loaded } = globalThis.LivePage;
// Of one cell: a guest may say more than a page can hold. An error is shown all the same.
const MOST_LETTERS = 2e6, MOST_PARTS = 2000, LONGEST_ERROR = 20000;
const ENDS_WITHIN_MS = 5000;  // for what a machine is at, and to end; one that cannot is left alone
const DRAFTS = "where-packets-wait/cell/1";  // with its version

class Stopped extends Error {}

/* A machine with one process of Python, in which cells run. `ready` is that process, once it is there. Two machines that
   count their time would share one clock, so it begins once the one before it has ended. */
class Guest {
  constructor(notebook, before) {
    this.notebook = notebook;
    this.over = false;
    this.ready = this.wakes(before);
    this.ready.catch(() => {});
  }

  say(text) {
    if (!this.over) this.notebook.say(text);
  }

  async wakes(before) {
    const { live } = this.notebook;
    await before;
    this.say("Loading …");
    this.notebook.files ??= loaded(live, text => this.notebook.guest?.say(text));
    this.notebook.files.catch(() => { this.notebook.files = null; });  // the next cell tries again
    const files = await this.notebook.files;
    if (this.over) throw new Stopped();
    this.say("The kernel wakes …");
    this.machine = await globalThis.LiveRun.restored({ ...files, counted: true });
    if (this.over) throw new Stopped();
    return globalThis.LiveProtocol.notebook(this.machine, live.held);
  }

  /* Settled once it has ended, whatever it was at. */
  async end() {
    this.over = true;
    await Promise.race([this.ends().catch(error => console.warn(error)), new Promise(resolve => setTimeout(resolve, ENDS_WITHIN_MS))]);
  }

  async ends() {
    if (!this.machine) await this.ready.catch(() => {});
    await this.machine?.end();
  }
}

/* What a reader has written in the place of a cell; kept in the browser for as long as the cell itself is the same. Where
   the browser keeps nothing, it is there until the page is left. */
class Draft {
  constructor(name, source) {
    Object.assign(this, { name, source, text: null, kept: true });
    this.read();
  }

  read() {
    if (!this.kept) return;  // this page alone has it
    try {
      const kept = JSON.parse(localStorage.getItem(this.name));
      if (kept?.source === this.source && typeof kept.text === "string") this.text = kept.text;
    } catch (error) {
      console.warn(error);
    }
  }

  keep(text) {
    this.text = text;
    try {
      localStorage.setItem(this.name, JSON.stringify({ source: this.source, text }));
      this.kept = true;
    } catch (error) {
      this.kept = false;
      console.warn(error);
    }
  }
}

class Notebook {
  constructor(box) {
    this.live = JSON.parse(box.dataset.live);
    this.name = location.pathname.split("/").at(-1);
    this.note = box.querySelector(".wpw-live-said");
    this.files = this.guest = this.ended = null;
    this.stop = () => {};
    this.cells = [...document.querySelectorAll("div.cell")].filter(cell => cell.querySelector(".cell_input pre"))
      .map((cell, number) => new Cell(cell, number, this));
    this.buttons = box.querySelector(".wpw-live-buttons");
    this.all = this.add("all", "Run all cells", () => this.run(this.cells));
    this.ends = this.add("stop", "Stop", () => this.stop());
    this.anew = this.add("restart", "Restart", () => this.restart());
    this.busy(false);
    addEventListener("beforeprint", () => document.querySelectorAll(".wpw-recorded-output").forEach(door => { door.open = true; }));
    box.hidden = false;
  }

  add(name, text, act) {
    const button = make("button", { type: "button", class: "wpw-live-button", "data-do": name }, text);
    button.addEventListener("click", act);
    this.buttons.append(button);
    return button;
  }

  say(text) {
    if (this.note.textContent !== text) this.note.textContent = text;
  }

  /* One run of cells at a time. No button that may have the focus goes or is disabled: what does nothing now says so. */
  busy(is) {
    this.working = is;
    const off = (button, does) => button.setAttribute("aria-disabled", `${!does}`);
    off(this.all, !is);
    off(this.ends, is);
    off(this.anew, !is && this.guest !== null);
    for (const cell of this.cells) off(cell.runs, !is);
  }

  /* A cell needs what is above it: those of these that have not run in this machine, or have failed, and then it. */
  upTo(cell) {
    return this.run([...this.cells.slice(0, cell.number).filter(each => !each.ran), cell]);
  }

  async run(cells) {
    if (this.working) return;
    const stopped = new Promise((_, reject) => { this.stop = () => this.working && reject(new Stopped()); });
    stopped.catch(() => {});
    this.busy(true);
    this.guest ??= new Guest(this, this.ended);
    let last = null;
    try {
      const process = await Promise.race([this.guest.ready, stopped]);
      for (const cell of cells) {
        this.say(`Cell ${cell.number + 1} of ${this.cells.length} runs …`);
        last = cell;
        const well = await Promise.race([cell.runsIn(process), stopped]);
        if (!well) break;  // what comes below it would fail for that reason alone
      }
      this.say(`Cell ${last.number + 1} ${last.state.textContent}.`);
    } catch (error) {
      this.forget();
      this.failed(error);
    }
    this.busy(false);
  }

  /* What a stopped cell has left is nobody's to go on with. */
  failed(error) {
    if (error instanceof Stopped) return this.say("Stopped: the machine has ended, with all that its cells had made. The next cell begins anew.");
    console.warn(error);
    const first = String(error?.message).slice(0, 300).split("\n")[0].replace(/\.?$/, ".");
    this.say(`It could not be run here. ${first} The next cell begins with a new machine.`);
  }

  forget() {
    this.ended = this.guest?.end();
    this.guest = null;
    for (const cell of this.cells) cell.forgets();
  }

  restart() {
    if (this.working || !this.guest) return;
    this.forget();
    this.busy(false);
    this.say("The next cell begins with a new machine.");
  }
}

class Cell {
  constructor(element, number, notebook) {
    Object.assign(this, { element, number, notebook, ran: false, failed: false });
    this.input = element.querySelector(".cell_input");
    this.recorded = element.querySelector(".cell_output");
    this.shown = this.input.querySelector(".highlight, pre");
    this.source = this.input.querySelector("pre").textContent.replace(/\n$/, "");
    this.draft = new Draft(`${DRAFTS}/${notebook.name}/${number}`, this.source);
    this.buttons = make("p", { class: "wpw-cell-buttons" });
    this.runs = this.add("run", "Run", () => notebook.upTo(this));
    this.stops = this.add("stop", "Stop", () => notebook.stop());
    this.stops.hidden = true;
    this.edits = this.add("edit", this.editWords, () => this.edit());
    this.state = make("span", { class: "wpw-cell-state" });
    this.buttons.append(this.state);
    this.mine = make("div", { class: "wpw-mine", role: "region", "aria-label": `What cell ${number + 1} led to here`, hidden: "" });
    this.input.append(this.buttons);
    this.input.after(this.mine);
  }

  add(name, text, act) {
    const button = make("button", { type: "button", class: "wpw-cell-button", "data-do": name }, text,
      make("span", { class: "wpw-unseen" }, ` cell ${this.number + 1}`));
    button.addEventListener("click", act);
    this.buttons.append(button);
    return button;
  }

  get text() {
    return this.editor ? this.editor.value : this.source;
  }

  get editWords() {
    return this.editor ? "As it was" : this.draft.text === null ? "Edit" : "Edit again";
  }

  /* An editor in the place of the cell, or the cell as it was; what was written is there again next time. */
  edit() {
    if (this.editor) {
      this.editor.remove();
      this.editor = null;
    } else {
      this.draft.read();  // another copy of this page may have written meanwhile
      const rows = this.source.split("\n").length + 1;
      this.editor = make("textarea", { class: "wpw-cell-editor", rows: `${rows}`, wrap: "off", spellcheck: "false",
        autocomplete: "off", autocapitalize: "off", "aria-label": `Cell ${this.number + 1}. Ctrl+Enter runs it.` });
      this.editor.value = this.draft.text ?? this.source;
      this.editor.addEventListener("input", () => this.draft.keep(this.editor.value));
      this.editor.addEventListener("keydown", event => this.pressed(event));
      this.shown.after(this.editor);
      this.editor.focus();
    }
    this.shown.hidden = this.editor !== null;
    this.edits.firstChild.data = this.editWords;
  }

  pressed(event) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    this.notebook.upTo(this);
  }

  /* Whether the cells below may run. */
  async runsIn(process) {
    Object.assign(this, { letters: 0, parts: 0, left: false, printed: null, failed: false, lacks: "" });
    this.state.textContent = "runs …";
    this.stops.hidden = false;
    this.mine.hidden = false;
    this.mine.replaceChildren(make("p", { class: "wpw-mine-head" }, "Yours, in this tab"));
    const { failed } = await process.run(this.text, said => this.hears(said));
    this.stopGoes();
    Object.assign(this, { failed: failed === true && !this.lacks, ran: failed !== true || this.lacks !== "" });
    if (!this.parts) this.mine.append(make("p", { class: "wpw-mine-head" }, "It shows nothing."));
    this.state.textContent = this.lacks ? "needs the lab" : this.failed ? "ended with an error" : "has run";
    this.folds();
    return this.ran;
  }

  /* The recorded output goes behind a door, except where it is all there is to see. */
  folds() {
    if (!this.recorded) return;
    if (!this.door) {
      this.door = make("details", { class: "wpw-recorded-output" }, make("summary", {}, "The recorded output"));
      this.recorded.before(this.door);
      this.door.append(this.recorded);
    }
    this.door.open = this.lacks !== "";
  }

  hears(said) {
    if (said.kind === "error") this.errs(said);
    else if (this.parts >= MOST_PARTS || this.letters >= MOST_LETTERS) this.leavesOut();
    else if (said.kind === "text") this.prints(said);
    else if (said.kind === "result") this.results(said);
  }

  leavesOut() {
    if (!this.left) this.mine.append(make("p", {}, "The rest of what it says is not shown."));
    this.left = true;
  }

  /* Of a guest's words, as many as a cell may show. */
  words(text) {
    const found = String(text ?? "").slice(0, MOST_LETTERS - this.letters);
    this.letters += found.length + 1;
    return found;
  }

  pre(kind, text) {
    this.parts++;
    const made = make("pre", { class: `wpw-mine-${kind}`, tabindex: "0" }, text);
    this.mine.append(made);
    return made;
  }

  /* Lines that follow each other stand together. */
  prints({ text, complaint }) {
    const kind = complaint === true ? "complaint" : "text";
    if (this.printed?.kind === kind) this.printed.pre.append(this.words(text));
    else this.printed = { kind, pre: this.pre(kind, this.words(text)) };
  }

  results({ text, tree }) {
    this.printed = null;
    try {
      if (tree !== undefined) {
        this.letters += JSON.stringify(tree).length;
        this.mine.append(globalThis.LiveTree.element(tree, document));
        this.parts++;
        return;
      }
    } catch (error) {
      console.warn(error);
    }
    this.pre("result", this.words(text));
  }

  errs({ text, lacks }) {
    this.printed = null;
    if (this.parts > MOST_PARTS) return this.leavesOut();  // one error may come behind all else
    if (this.notebook.live.lacks.includes(lacks)) {
      this.lacks = lacks;
      this.parts++;
      this.mine.append(make("p", {}, "This cell needs ", make("code", {}, lacks), ", which the tab's Linux has not: in the lab it runs."));
    } else this.pre("error", String(text ?? "").slice(-LONGEST_ERROR));
  }

  stopGoes() {
    if (document.activeElement === this.stops) this.runs.focus();
    this.stops.hidden = true;
  }

  forgets() {
    this.stopGoes();
    if (!this.mine.hidden) this.state.textContent = "of a machine that has ended";
    Object.assign(this, { ran: false, failed: false });
  }
}

const box = document.querySelector(".wpw-live");
if (box && globalThis.WebAssembly && globalThis.DecompressionStream) new Notebook(box);

})();
