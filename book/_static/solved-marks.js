/* Which of a chapter's exercises are solved? Beside the link to their page, in the navigation of every page: as many as
   this browser has kept as solved. live-verdict.js keeps them, live_exercises.py says how many a chapter has. */
"use strict";
(() => {

const KEPT = "where-packets-wait/answer/1";
const chapters = Object.entries(JSON.parse(document.currentScript.dataset.exercises));

function solved(id) {
  try {
    return JSON.parse(localStorage.getItem(`${KEPT}/${id}`))?.solved === true;
  } catch {  // the browser keeps nothing, or what it has kept is damaged
    return false;
  }
}

function mark() {
  document.querySelectorAll(".wpw-marked").forEach(old => old.remove());
  for (const [page, ids] of chapters) {
    const count = ids.filter(solved).length;
    if (count === 0) continue;
    for (const link of document.querySelectorAll(".bd-docs-nav a"))
      if (link.pathname.endsWith(`/${page}.html`))
        link.append(make("span", { class: "wpw-marked" }, ` ✓ ${count} of ${ids.length} solved`));
  }
}

mark();
addEventListener("storage", mark);  // another tab
addEventListener("wpw-solved", mark);

})();
