/* The row before the frames that a page does not speak of becomes a button that shows them, and folds them again. */
"use strict";

/* The rows behind `more`; opened for whoever follows a link into them. */
function foldRun(more) {
  const rows = [];
  for (let row = more.nextElementSibling; row?.matches(".wpw-beside"); row = row.nextElementSibling) rows.push(row);
  const words = more.textContent;
  const button = make("button", { type: "button" });
  const open = (opened) => {
    button.textContent = opened ? words.replace("more frames", "frames fewer") : words;
    button.setAttribute("aria-expanded", opened);
    rows.forEach((row) => row.classList.toggle("wpw-tucked", !opened));
  };
  button.addEventListener("click", () => open(button.getAttribute("aria-expanded") === "false"));
  more.cells[0].replaceChildren(button);
  more.hidden = false;
  open(false);
  return (target) => { if (rows.some((row) => row.contains(target))) open(true); };
}

const reveals = [...document.querySelectorAll(".wpw-stack .wpw-more")].map(foldRun);

function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target?.closest(".wpw-tucked")) return;
  reveals.forEach((open) => open(target));
  target.scrollIntoView();
}

addEventListener("hashchange", reveal);
reveal();
