/* Pictures of state, one at a time: stepped through by buttons, by the arrow keys, Home and End, or by scrolling
   sideways, with a finger, a wheel or the scroll bar. "Show all" lays them out as the strip that stands there without
   this script and on paper. Nothing moves: there is no motion to switch off. */
"use strict";

function made(name, parent, properties = {}) {
  const element = Object.assign(document.createElement(name), properties);
  parent.append(element);
  return element;
}

function stepThrough(figure) {
  const strip = figure.querySelector(".wpw-strip");
  const states = [...strip.children];
  const steps = document.createElement("div");
  steps.className = "wpw-steps";
  const track = document.createElement("div");
  track.className = "wpw-track";
  strip.before(steps, track);
  const runway = made("div", track, { className: "wpw-runway" });
  runway.style.setProperty("--wpw-states", states.length);
  runway.append(strip);
  const stops = made("div", runway, { className: "wpw-stops" });
  states.forEach(() => made("span", stops));

  const back = made("button", steps, { type: "button", textContent: "Back" });
  const next = made("button", steps, { type: "button", textContent: "Next" });
  const said = made("p", steps);
  said.setAttribute("role", "status");
  const all = made("button", steps, { type: "button" });

  let shown = Math.max(0, states.findIndex((state) => state.classList.contains("wpw-opens")));
  const show = (number) => {
    shown = Math.max(0, Math.min(states.length - 1, number));
    states.forEach((state, at) => state.classList.toggle("wpw-shown", at === shown));
    said.textContent = `${shown + 1} of ${states.length}`;
    back.disabled = shown === 0;
    next.disabled = shown === states.length - 1;
  };
  const go = (number) => {
    show(number);
    track.scrollLeft = shown * track.clientWidth;
  };
  const step = (stepped) => {
    figure.classList.toggle("wpw-stepped", stepped);
    back.hidden = next.hidden = said.hidden = !stepped;
    all.textContent = stepped ? "Show all" : "One at a time";
    if (stepped) track.tabIndex = 0; else track.removeAttribute("tabindex");
    go(shown);
  };

  track.setAttribute("role", "group");
  track.setAttribute("aria-label", "States, one at a time: arrow keys lead through them");
  track.addEventListener("scroll", () => {
    if (figure.classList.contains("wpw-stepped")) show(Math.round(track.scrollLeft / track.clientWidth));
  });
  track.addEventListener("keydown", (event) => {
    const to = { ArrowRight: shown + 1, ArrowLeft: shown - 1, Home: 0, End: states.length - 1 }[event.key];
    if (to === undefined || !figure.classList.contains("wpw-stepped")) return;
    go(to);
    event.preventDefault();
  });
  back.addEventListener("click", () => go(shown - 1));
  next.addEventListener("click", () => go(shown + 1));
  all.addEventListener("click", () => step(!figure.classList.contains("wpw-stepped")));
  new ResizeObserver(() => go(shown)).observe(track);
  step(true);
}

// Two are compared, so both are seen.
const several = (figure) => figure.querySelector(".wpw-strip").children.length > 2;
[...document.querySelectorAll(".wpw-states")].filter(several).forEach(stepThrough);
