/* A long stack shows the frames that its page speaks of; a button in place of the others shows them, too. Without this
   script, and on paper, all of them are there. */
"use strict";

const LONG = 10;  // a stack of up to so many frames is left as it is
const RUN = 3;    // and so are fewer frames in a row

/* The functions that a page names in its words, its notes, and the heads of its excerpts. */
function named() {
  const words = [...document.querySelectorAll("article code")].filter(
    (code) => !code.closest(".wpw-stack, pre, .cell_output"));
  return new Set(words.flatMap((code) => code.textContent.match(/\w+/g) ?? []));
}

/* Rows of a table as a run that can be opened and shut, and is opened for whoever follows a link into it. */
function foldRun(frames) {
  const rows = frames.flatMap((row) =>
    row.nextElementSibling?.matches(".wpw-why") ? [row, row.nextElementSibling] : [row]);
  const more = document.createElement("tr");
  more.className = "wpw-row wpw-more";
  const cell = more.appendChild(document.createElement("td"));
  cell.colSpan = 3;
  const button = cell.appendChild(document.createElement("button"));
  button.type = "button";
  const open = (opened) => {
    button.textContent = `${frames.length} ${opened ? "frames fewer" : "more frames"}`;
    button.setAttribute("aria-expanded", opened);
    rows.forEach((row) => row.classList.toggle("wpw-tucked", !opened));
  };
  button.addEventListener("click", () => open(button.getAttribute("aria-expanded") === "false"));
  rows[0].before(more);
  open(false);
  return (target) => { if (rows.some((row) => row.contains(target))) open(true); };
}

function foldStack(stack, known) {
  const frames = [...stack.querySelectorAll("tbody tr.wpw-frame")];
  if (frames.length <= LONG) return [];
  const runs = [[]];
  frames.forEach((row, at) => {
    const name = row.querySelector("th").textContent.trim().replace(/[.+].*/, "");
    if (!at || known.has(name) || row.matches(".wpw-missing")) runs.push([]);
    else runs.at(-1).push(row);
  });
  return runs.filter((run) => run.length >= RUN).map(foldRun);
}

const known = named();
const reveals = [...document.querySelectorAll(".wpw-stack")].flatMap((stack) => foldStack(stack, known));

function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target?.closest(".wpw-tucked")) return;
  reveals.forEach((open) => open(target));
  target.scrollIntoView();
}

addEventListener("hashchange", reveal);
reveal();
