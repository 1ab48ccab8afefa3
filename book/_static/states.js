/* Pictures of state, one at a time: stepped through by buttons, by the arrow keys, Home and End, or by scrolling
   sideways, with a finger, a wheel or the scroll bar. "Show all" lays them out as the strip that stands there without
   this script and on paper. Nothing moves: there is no motion to switch off. */
"use strict";

function stepThrough(figure) {
  const strip = figure.querySelector(".wpw-strip");
  const states = [...strip.children];
  const back = make("button", { type: "button" }, "Back");
  const next = make("button", { type: "button" }, "Next");
  const said = make("p", { role: "status" });
  const all = make("button", { type: "button" });
  const runway = make("div", { class: "wpw-runway" });
  runway.style.setProperty("--wpw-states", states.length);
  const track = make("div", { class: "wpw-track", role: "group",
    "aria-label": "States, one at a time: arrow keys lead through them" }, runway);
  strip.before(make("div", { class: "wpw-steps" }, back, next, said, all), track);
  runway.append(strip, make("div", { class: "wpw-stops" }, ...states.map(() => make("span"))));

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
