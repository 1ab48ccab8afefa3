/* An exercise, answered and judged on its page: see book/_ext/live/live_exercises.py for the box, live-files.js for
   what a check loads, live-verdict.js for what is shown of it and kept, live-hand.js for how it is handed in, and the
   scripts that the page names for the machine (LiveRun), what it says (LiveProtocol) and what it draws (LivePictures).
   Nothing is loaded before the first check; what a guest says becomes words and a picture's elements, never markup. */
"use strict";
(() => {

const { loaded } = globalThis.LivePage, { copy, lineOf, packedOf, saving } = globalThis.LiveHand;
const { addressOf, answerIn } = globalThis.LiveLink;
const { Kept, shown, verdictOf, words } = globalThis.LiveVerdict;
// Other answers take more or less than the first solution, so that a bar is never full before the verdict is there.
const FULLEST = 0.95, LEAST_DONE = 0.1, ENDLESS = 2.5, ENDED = 4;  // shares of what the first solution takes
const LARGEST_PICTURE = 1 << 20, MOST_PICTURES = 20, LONGEST_STEP = 200;  // letters of JSON, pictures, letters

class Stopped extends Error {}
class Endless extends Error {}

/* What stands in `backticks` is code. */
function withCode(text) {
  return text.split("`").map((part, number) => number % 2 ? make("code", {}, part) : part);
}

/* What is done now, as a sentence that has not ended. */
function step(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)} …`;
}

class Page {
  constructor(above, sections) {
    this.live = JSON.parse(above.dataset.live);
    this.solved = above.querySelector(".wpw-solved");
    this.note = above.querySelector(".wpw-live-said");
    this.checking = this.files = null;
    this.exercises = sections.map(section => new Exercise(section, this));
    this.save = saving(() => this.lines());
    this.solved.after(this.save);
    this.count();
    above.hidden = false;
    this.linked();
    addEventListener("hashchange", () => this.linked());
    addEventListener("storage", ({ key }) => this.exercises.filter(each => each.kept.name === key).forEach(each => each.again()));
    addEventListener("pageshow", ({ persisted }) => persisted && this.exercises.forEach(each => each.again()));
  }

  /* An answer that this page's address brings, once: it is not there any more when the page is loaded again. */
  linked() {
    const brought = answerIn(location.hash), exercise = this.exercises.find(each => each.number === brought?.number);
    if (!exercise) return;
    history.replaceState(null, "", `#exercise-${exercise.number}`);
    exercise.brought(brought.answer);
  }

  complain(text) {
    if (this.note.textContent !== text) this.note.textContent = text;  // or it would be read out again at each letter
  }

  count() {
    const solved = this.exercises.filter(each => each.kept.solved);
    this.solved.textContent = `${solved.length} of the ${this.exercises.length} that run in the browser are solved.`;
    this.save.hidden = this.lines().length === 0;
    dispatchEvent(new Event("wpw-solved"));  // for solved-marks.js
  }

  /* The lines to hand in, of each exercise the one that passed, or else the last. */
  lines() {
    return this.exercises.flatMap(({ id, kept: { passed, judged } }) => {
      const packed = passed ?? judged?.packed;
      return packed ? [lineOf(id, packed)] : [];
    });
  }

  /* One exercise at a time, or none: two machines would hold each other up. */
  checks(exercise) {
    this.checking = exercise;
    for (const each of this.exercises) each.waits(exercise);
  }

  load() {
    this.checking?.say("Loading …");
    if (!this.files) {
      this.files = loaded(this.live, text => this.checking?.say(text));
      this.files.catch(() => { this.files = null; });  // the next check tries again
    }
    return this.files;
  }

  /* A machine of its own for this answer. When the reader stops it (`stopped` is rejected), nothing is waited for. */
  async verdict(exercise, answer, stopped, onSaid) {
    const files = await Promise.race([this.load(), stopped]);
    exercise.say("The kernel wakes …");
    const waking = globalThis.LiveRun.restored({ ...files, counted: true });
    let machine;
    try {
      machine = await Promise.race([waking, stopped]);
      exercise.works(machine);
      const asked = { exercise: exercise.id, answer };
      return await Promise.race([globalThis.LiveProtocol.check(machine, this.live.held, asked, onSaid), stopped]);
    } finally {
      if (machine) await machine.end();
      else waking.then(late => late.end()).catch(error => console.warn(error));
    }
  }
}

class Exercise {
  constructor(section, page) {
    Object.assign(this, JSON.parse(section.dataset.exercise), { page, given: 0, button: {} });
    this.kept = new Kept(this.id, text => page.complain(text));
    this.build(section);
    this.editor.value = this.kept.answer ?? this.start;
    this.show();
    section.hidden = false;
  }

  build(section) {
    const name = `answer-${this.number}`;
    this.editor = make("textarea", { id: name, class: "wpw-answer", rows: "8", wrap: "off", spellcheck: "false",
      autocomplete: "off", autocapitalize: "off", "aria-describedby": `${name}-keys` });
    this.editor.addEventListener("input", () => this.changed());
    this.editor.addEventListener("keydown", event => this.pressed(event));
    this.buttons = make("p", { class: "wpw-live-buttons" });
    this.busy = make("span", { id: `${name}-busy`, class: "wpw-keys" });
    this.add("check", "Check", () => this.check()).setAttribute("aria-describedby", this.busy.id);
    this.add("stop", "Stop", () => this.stop(new Stopped())).hidden = true;
    this.add("anew", "Begin anew", () => this.anew());
    this.add("hint", "", () => this.hint());
    this.add("solution", "The solution", () =>
      this.ask("solution", "Have you tried it yourself?", "Show it", () => this.solve()));
    this.buttons.append(this.busy);
    this.add("link", "Copy a link to this answer", () => this.link());
    this.question = make("p", { class: "wpw-live-buttons wpw-question", role: "group", "aria-label": "A question" });
    this.place = make("div");
    this.told = make("ol", { class: "wpw-hints", "aria-live": "polite" });
    this.opened = make("div");
    this.said = make("p", { class: "wpw-live-said", role: "status" });
    this.bar = make("progress", { class: "wpw-bar", max: "1", "aria-label": "How much of the check is done" });
    this.bar.hidden = true;
    this.clock = make("p", { class: "wpw-clock" });
    this.result = make("div", { class: "wpw-verdict" });
    this.old = make("p", { class: "wpw-earlier" }, "This verdict is on an earlier text of your answer.");
    this.drawn = make("div", { class: "wpw-live-pictures" });
    section.append(
      make("label", { for: name }, `Your answer to exercise ${this.number}, as a file ${this.file}`),
      this.editor,
      make("p", { id: `${name}-keys`, class: "wpw-keys" }, "Ctrl+Enter checks it. It is kept in your browser alone."),
      this.buttons, this.question, this.place, this.told, this.opened, this.said, this.bar, this.clock, this.result, this.drawn);
    this.hintsLeft();
  }

  add(name, text, act, place = this.buttons) {
    const button = make("button", { type: "button", class: "wpw-live-button", "data-do": name }, text);
    this.button[name] = button;
    button.addEventListener("click", act);
    place.append(button);
    return button;
  }

  say(text) {
    if (this.said.textContent !== text) this.said.textContent = text;  // or it would be read out again
  }

  pressed(event) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    this.check();
  }

  changed() {
    this.kept.keep({ answer: this.editor.value });
    this.earlier();
  }

  /* As the browser has kept it meanwhile: the same page is open twice, or was left and is come back to. */
  again() {
    this.kept.read();
    this.editor.value = this.kept.answer ?? this.editor.value;
    this.show();
    this.page.count();
  }

  /* A question before something is done; `act` gives what has the focus then. */
  ask(opener, question, yes, act) {
    const answered = done => {
      this.question.replaceChildren();
      done.focus();
    };
    this.question.replaceChildren(make("span", {}, question));
    this.add("yes", yes, () => answered(act()), this.question);
    const back = () => answered(this.button[opener].disabled ? this.editor : this.button[opener]);
    this.add("no", "No", back, this.question).focus();
    this.question.onkeydown = ({ key }) => {
      if (key === "Escape") back();
    };
  }

  anew() {
    const begin = () => {
      this.editor.value = this.start;
      this.kept.keep({ answer: this.start, judged: null });
      this.drawn.replaceChildren();
      this.show();
      if (this.page.checking !== this) this.say("");
      return this.editor;
    };
    if (this.editor.value === this.start) begin().focus();
    else this.ask("anew", "The file to begin with takes the place of your answer.", "Begin anew", begin);
  }

  link() {
    const address = addressOf(this.number, this.editor.value);
    if (address) copy(address, `The link to this answer to exercise ${this.number}`, this.said, this.place);
    else this.say("This answer is too long for a link.");
  }

  /* Somebody's answer, which takes the place of the reader's own only if the reader wants it. */
  brought(answer) {
    const take = () => {
      this.editor.value = answer;
      this.changed();
      return this.editor;
    };
    this.editor.scrollIntoView();
    if (answer === this.editor.value) return;
    if (this.editor.value === this.start) take().focus();
    else this.ask("check", "The link's answer takes the place of yours.", "Take it", take);
  }

  hint() {
    if (this.given === this.hints.length) return;
    this.told.append(make("li", {}, ...withCode(this.hints[this.given++])));
    this.hintsLeft();
  }

  hintsLeft() {
    const left = this.given < this.hints.length;
    this.button.hint.textContent = left ? `A hint (${this.given + 1} of ${this.hints.length})` : "No further hint";
    this.button.hint.setAttribute("aria-disabled", `${!left}`);  // and not disabled: it has the focus
  }

  solve() {
    const label = `A solution of exercise ${this.number}`;
    const text = make("pre", { tabindex: "0", role: "region", "aria-label": label }, this.solution);
    this.opened.replaceChildren(make("p", {}, "A solution, which begins with why it works:"), text);
    return text;
  }

  async check() {
    if (this.page.checking) return;
    const answer = this.editor.value, begin_ms = performance.now();
    const stopped = new Promise((_, reject) => { this.stop = reject; });
    stopped.catch(() => {});
    const took_s = () => Math.round((performance.now() - begin_ms) / 1000);
    const ticks = setInterval(() => this.tick(took_s()), 1000);
    this.runs(true);
    try {
      const found = await this.page.verdict(this, answer, stopped, said => this.heard(said));
      this.judged(answer, verdictOf(found, this.id), took_s());
    } catch (error) {
      this.failed(error);
    }
    clearInterval(ticks);
    this.runs(false);
  }

  /* The button that was pressed goes or is disabled; the other one gets the focus that it had. */
  runs(is) {
    const { check, stop } = this.button, from = is ? check : stop, to = is ? stop : check;
    const focused = document.activeElement === from;
    stop.hidden = !is;
    this.result.hidden = is;  // or an earlier verdict would be read as this one's
    this.page.checks(is ? this : null);
    if (focused) to.focus();
    this.clock.textContent = "";
    this.bar.hidden = !is;
    this.bar.value = 0;
    this.machine = null;
    if (is) Object.assign(this, { drew: 0, packed: null });
    this.pictures?.[is ? "begins" : "over"]();
  }

  /* Check is grey while any check runs. Its own shows Stop; the others say why. */
  waits(checking) {
    this.button.check.disabled = checking !== null;
    this.busy.textContent = checking && checking !== this ? `Exercise ${checking.number} is being checked: one at a time.` : "";
  }

  /* The guest that judges; `since_ms` leaves out what was loaded before. */
  works(machine) {
    this.machine = machine;
    this.since_ms = performance.now();
  }

  /* How long it has taken, and from the guest's instructions how long it will. */
  tick(took_s) {
    const done = (this.machine?.instructions ?? 0) / this.instructions;
    const left_s = (performance.now() - this.since_ms) * (1 - done) / done / 1000;
    this.bar.value = Math.min(done, FULLEST);
    let more = "";
    if (done > LEAST_DONE && done < FULLEST) more = `, about ${Math.ceil(left_s)} s left`;
    if (done > ENDLESS) more = ": far longer than a solution takes. Does your answer loop? Stop ends it.";
    if (done > ENDED) this.stop(new Endless());
    this.clock.textContent = `for ${took_s} s${more}`;
  }

  heard(said) {
    if (said.kind === "ready") this.say("The kernel is awake; its hosts are connected …");
    if (said.kind === "step" && typeof said.words === "string") this.say(step(words(said.words, LONGEST_STEP)));
    if (said.kind === "evidence") this.packed = packedOf(said.packed);
    if (said.kind === "figure") this.draw(said);
  }

  /* A picture that is none is left out: the verdict does not rest on it. */
  draw({ name, tree }) {
    try {
      if (this.drew++ >= MOST_PICTURES || JSON.stringify(tree).length > LARGEST_PICTURE) return;
      this.pictures ??= new globalThis.LivePictures.Pictures(this.drawn);
      this.pictures.draw({ name: words(name, LONGEST_STEP), tree });
    } catch (error) {
      console.warn(error);
    }
  }

  failed(error) {
    if (error instanceof Stopped) return this.say("Stopped. That says nothing of the answer.");
    if (error instanceof Endless) return this.say(`Ended without a verdict: it took ${ENDED} times as much work as a solution does. Does your answer loop, or start processes without end?`);
    console.warn(error);
    const first = words(String(error?.message)).split("\n")[0].replace(/\.?$/, ".");
    this.say(`It could not be checked here, which says nothing of the answer. ${first} Check it again.`);
  }

  judged(on, verdict, took_s) {
    const passes = verdict.verdict === "PASS", solved = this.kept.solved || passes;
    const passed = passes && this.packed || this.kept.passed;
    this.kept.keep({ answer: this.editor.value, judged: { on, verdict, took_s, packed: this.packed }, solved, passed });
    this.say(`Checked: ${verdict.verdict}.`);
    this.show();
    this.page.count();
  }

  /* The last verdict, if there is one. */
  show() {
    const { judged } = this.kept;
    this.result.replaceChildren(...(judged ? shown(judged) : []));
    this.result.prepend(this.old);
    this.earlier();
  }

  /* Whether it is on the text that stands there now. */
  earlier() {
    const { judged } = this.kept;
    this.old.hidden = !judged || judged.on === this.editor.value;
  }
}

const above = document.querySelector(".wpw-live");
if (above && globalThis.WebAssembly && globalThis.DecompressionStream)
  new Page(above, [...document.querySelectorAll(".wpw-exercise")]);

})();
