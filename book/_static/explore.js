/* Ladders and stacks can be explored: pointing at a packet or a frame, tapping it or reaching it by key
   shows its fields, and the place in the book where its code stands. What is shown is in the page
   already, in <title>, cells and data attributes; without this script a packet's fields are a tooltip
   and the table below its ladder, and a frame's are its row. */
"use strict";

const HINT = "Point, tap, or move with Tab and the arrow keys to see its fields.";

function fieldsOf(packet) {
  const [said, ...lines] = packet.querySelector("title").textContent.split("\n");
  const fields = lines.map((line) => {
    const at = line.indexOf(": ");
    return [line.slice(0, at), line.slice(at + 2)];
  });
  return { said, fields };
}

function fieldsOfRow(row) {
  const heads = [...row.closest("table").querySelectorAll("thead th")].map((head) => head.textContent);
  const cells = [...row.cells].map((cell) => {
    const copy = cell.cloneNode(true);
    copy.querySelectorAll("[aria-hidden]").forEach((mark) => mark.remove());
    return copy.textContent.trim();
  });
  const fields = heads.map((head, at) => [head, cells[at]]).filter(([, value]) => value);
  if (row.dataset.file) fields.push(["in", row.dataset.file]);
  const why = row.nextElementSibling?.matches(".wpw-why") ? row.nextElementSibling.textContent.trim() : "";
  if (why) fields.push(["remark", why]);
  return { said: row.querySelector("th").textContent.trim(), fields };
}

function show(panel, { said, fields, href, name }) {
  const pairs = fields.map(([term, value]) => make("div", {}, make("dt", {}, term), make("dd", {}, value)));
  panel.replaceChildren(make("p", { class: "wpw-chosen" }, said), make("dl", {}, ...pairs));
  if (href) panel.append(make("p", {}, "The code behind it: ", make("a", { href }, `${name}()`)));
}

/* `items` are the packets or frames of `figure`, each with what it shows in `shown`. */
function explore(figure, items, key) {
  const panel = make("div", { class: "wpw-fields", id: `wpw-fields-${key}`, role: "status" },
    make("p", { class: "wpw-hint" }, HINT));
  figure.querySelector(".wpw-scroll").after(panel);

  let pinned = null;  // by key or tap; the pointer passes over others without losing it
  const choose = (item) => {
    pinned?.classList.remove("wpw-pinned");
    pinned = item;
    item.classList.add("wpw-pinned");
    show(panel, item.shown);
  };

  items.forEach((item) => {
    item.setAttribute("aria-controls", panel.id);
    item.addEventListener("pointerenter", (event) => {
      if (event.pointerType === "mouse") show(panel, item.shown);
    });
    item.addEventListener("pointerleave", () => { if (pinned) show(panel, pinned.shown); });
    item.addEventListener("focus", () => choose(item));
    item.addEventListener("click", () => choose(item));
    item.addEventListener("keydown", (event) => {
      const shown = items.filter((other) => !other.matches(".wpw-tucked"));  // see fold-stacks.js
      const here = shown.indexOf(item);
      const next = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: shown.length - 1 }[event.key];
      if (shown[next]) shown[next].focus();
      else if (event.target === item && event.key === "Enter") (panel.querySelector("a") ?? item).focus();
      else return;
      event.preventDefault();
    });
  });
  panel.addEventListener("keydown", (event) => { if (event.key === "Escape") pinned?.focus(); });
}

function setUpLadder(ladder, number) {
  const packets = [...ladder.querySelectorAll(".wpw-packet")];
  for (const packet of packets) {
    packet.shown = { ...fieldsOf(packet), href: packet.dataset.source, name: packet.dataset.function };
    packet.querySelector("title").remove();  // else the browser's tooltip covers the picture
    packet.setAttribute("role", "button");
  }
  if (packets.length) explore(ladder, packets, `ladder-${number}`);
}

function setUpStack(stack, number) {
  const rows = [...stack.querySelectorAll("tbody tr.wpw-frame")];
  rows.forEach((row, at) => {
    const link = row.querySelector("th a");
    row.shown = { ...fieldsOfRow(row), href: link?.getAttribute("href"), name: link?.textContent.replace(/[.+].*/, "") };
    row.tabIndex = at ? -1 : 0;  // one stop for the whole stack; the arrow keys move within it
  });
  if (rows.length) explore(stack, rows, `stack-${number}`);
}

document.querySelectorAll(".wpw-ladder").forEach(setUpLadder);
document.querySelectorAll(".wpw-stack").forEach(setUpStack);
