/* What of a verdict does a reader see, and what does the browser keep? An answer is root in its guest, so a verdict may
   be anything, and so may what the browser has kept: it is held to its form and cut to a length, and becomes words,
   never markup. For live-exercise.js. */
"use strict";
globalThis.LiveVerdict = (() => {

const { handIn, packedOf } = globalThis.LiveHand;
const KEPT = "where-packets-wait/answer/1";  // with its version
const LONGEST = 2000, LONGEST_WORD = 200, MOST_CHECKS = 200, MOST_REASONS = 3;  // letters, and how many are shown
const VERDICTS = {
  "PASS": { mark: "✓", says: "All conditions hold." },
  "FAIL": { mark: "✗", says: "The answer fails:" },
  "COULD NOT TELL": { mark: "?", says: "What was measured does not say whether the answer holds:" },
  "SKIP": { mark: "?", says: "It could not be tried here, which says nothing of the answer:" },
};
const PASSED = new Map([[true, ["✓", "passed"]], [false, ["✗", "failed"]], [null, ["?", "could not tell"]]]);

const UNANSWERED = "answered";  // the condition that fails then

class NoVerdict extends Error {}

function words(value, longest = LONGEST) {
  if (typeof value !== "string") throw new NoVerdict("Found a verdict that lacks its words.");
  return value.length > longest ? `${value.slice(0, longest)}…` : value;
}

function list(value) {
  if (!Array.isArray(value)) throw new NoVerdict("Found a verdict that lacks its conditions.");
  return value;
}

/* What a guest, or the browser's store, has for a verdict on this exercise, as far as it is shown. */
function verdictOf(found, id) {
  const verdict = words(found?.verdict, LONGEST_WORD), checks = list(found.checks);
  if (found.exercise !== id || !Object.hasOwn(VERDICTS, verdict)) throw new NoVerdict(`Found no verdict on ${id}.`);
  if (verdict === "PASS" && !(checks.length && checks.every(each => each?.passed === true)))
    throw new NoVerdict("Found a PASS whose conditions do not all hold.");
  return {
    exercise: id, verdict,
    reasons: list(found.reasons).slice(0, MOST_REASONS).map(each => words(each)),
    checks: checks.slice(0, MOST_CHECKS).map(each => {
      if (!PASSED.has(each?.passed)) throw new NoVerdict("Found a condition that neither holds nor fails.");
      const { id, passed, expected, found } = each;
      return { id: words(id, LONGEST_WORD), passed, expected: words(expected), found: words(found) };
    }),
  };
}

/* What the browser keeps of an exercise: the answer, the last verdict with the answer that it is on and the evidence that
   it rests on (packed), whether one ever passed, and the evidence of that. Where it keeps nothing, all else works. */
class Kept {
  constructor(id, complain) {
    Object.assign(this, { id, name: `${KEPT}/${id}`, complain, answer: null, judged: null, solved: false,
      passed: null });
    this.read();
  }

  read() {
    let text = null;
    try {
      text = localStorage.getItem(this.name);
    } catch {
      this.keepsNothing();
    }
    if (text === null) return;
    try {
      const { answer, judged, solved, passed } = JSON.parse(text);
      if (typeof answer !== "string" || judged && (typeof judged.on !== "string" || typeof judged.took_s !== "number"))
        throw new TypeError("expected an answer, and which one was judged");
      Object.assign(this, { answer, solved: solved === true, passed: packedOf(passed),
        judged: judged ? { on: judged.on, took_s: judged.took_s, verdict: verdictOf(judged.verdict, this.id),
          packed: packedOf(judged.packed) } : null });
    } catch {
      this.complain(`What this browser has kept of ${this.id} is damaged, so that exercise begins anew.`);
    }
  }

  keep(changed) {
    Object.assign(this, changed);
    const { answer, judged, solved, passed } = Object.assign(this, this.solvedElsewhere());
    try {
      localStorage.setItem(this.name, JSON.stringify({ answer, judged, solved, passed }));
    } catch {
      this.keepsNothing();
    }
  }

  /* What another copy of this page has solved and this one has not heard of yet is not taken back. */
  solvedElsewhere() {
    try {
      const { solved, passed } = JSON.parse(localStorage.getItem(this.name)) ?? {};
      return solved === true ? { solved, passed: this.passed ?? packedOf(passed) } : {};
    } catch {
      return {};
    }
  }

  keepsNothing() {
    this.complain("This browser keeps nothing of this page, or no more: copy your answers before you leave it.");
  }
}

function marked(mark) {
  return make("span", { "aria-hidden": "true" }, `${mark} `);
}

/* A condition that the answer was held to. */
function condition({ id, passed, expected, found }) {
  const [mark, word] = PASSED.get(passed);
  const said = [["expected", expected === found ? "" : expected], ["found", found]].filter(([, text]) => text);
  return make("li", { "data-passed": `${passed}` },
    make("span", { class: "wpw-passed" }, marked(mark), word), " ", make("code", {}, id),
    ...said.map(([name, text]) => make("p", {}, make("span", {}, `${name}: `), text)));
}

/* The elements of a verdict: its word, why, each condition, and how it is handed in. Of an answer that is none yet, that
   alone: a list of red conditions would look as if something were broken. */
function shown({ verdict: { exercise, verdict, reasons, checks }, took_s, packed }) {
  const none = checks.find(({ id, passed }) => id === UNANSWERED && passed === false);
  if (none) return [make("p", { class: "wpw-why" }, none.found)];
  const { mark, says } = VERDICTS[verdict];
  const left = checks.length < MOST_CHECKS ? [] : [make("p", {}, `No more than ${MOST_CHECKS} conditions are shown.`)];
  return [
    make("h3", {}, marked(mark), verdict, make("small", {}, ` after ${took_s} s`)),
    make("p", { class: "wpw-why" }, verdict === "PASS" ? says : `${says} ${reasons.join("; ")}`),
    make("ul", { class: "wpw-checks" }, ...checks.map(condition)),
    ...left,
    ...(packed ? [handIn(exercise, packed)] : []),
  ];
}

return { Kept, shown, verdictOf, words };

})();
