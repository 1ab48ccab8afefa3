/* How does a reader hand in what was judged on a page? By a line of text that holds the answer and what was measured:
   core/judge/packed.py says how, `./lab judge` reads it. It comes from a guest, so it is held to its form. For
   live-verdict.js and live-exercise.js. */
"use strict";
globalThis.LiveHand = (() => {

const LONGEST = 1 << 18, LETTERS = /^[A-Za-z0-9+/]+={0,2}$/, FILE = "where-packets-wait.txt";
const KEPT_MS = 60_000;  // until a browser has surely begun to save it

/* What a guest, or the browser's store, has for packed evidence; null if it is none. */
function packedOf(found) {
  return typeof found === "string" && found.length <= LONGEST && LETTERS.test(found) ? found : null;
}

function lineOf(id, packed) {
  return `where-packets-wait ${id} ${packed}`;
}

/* A button that saves such lines in a file; `lines` gives those that there are by then. */
function saving(lines) {
  const button = make("button", { type: "button", class: "wpw-live-button", "data-do": "save" }, "Save what was judged");
  button.addEventListener("click", () => {
    const address = URL.createObjectURL(new Blob([`${lines().join("\n")}\n`], { type: "text/plain" }));
    make("a", { href: address, download: FILE }).click();
    setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
  });
  return make("p", { class: "wpw-live-buttons" }, button, make("span", {}, "as a file to hand in, or for ",
    make("code", {}, `./lab list --import ${FILE}`)));
}

/* Copies a text, or shows it in `place` under its `label` to be copied; `said` is told which. */
async function copy(text, label, said, place) {
  try {
    await navigator.clipboard.writeText(text);
    place.replaceChildren();
    said.textContent = "Copied.";
  } catch {  // there is none here, or the browser refused
    const field = make("input", { class: "wpw-to-copy", readonly: "", "aria-label": label });
    field.value = text;
    place.replaceChildren(field);
    said.textContent = "Copy it from here:";
    field.select();
  }
}

/* A button that copies the line, and what the line is. */
function handIn(id, packed) {
  const button = make("button", { type: "button", class: "wpw-live-button", "data-do": "hand" },
    "Copy the line to hand in");
  const said = make("span", { class: "wpw-handed", role: "status" }), place = make("div");
  button.addEventListener("click", () => copy(lineOf(id, packed), `The line to hand in for ${id}`, said, place));
  return make("div", { class: "wpw-hand" }, make("p", { class: "wpw-live-buttons" }, button, said), place,
    make("p", {}, "It holds the judged answer and what was measured; a trainer reads it with ",
      make("code", {}, "./lab judge FILE"), ". A verdict from a tab is the tab's word, since measurements can be made up: ",
      make("code", {}, "./lab check"), " on the answer settles it."));
}

return { copy, handIn, lineOf, packedOf, saving };

})();
