/* The way from a notebook's page to the reader's own lab, see book/_ext/live/run_here.py. This machine is
   asked only when the reader follows the link: is a lab listening? */
"use strict";

const ANSWERS_WITHIN_MS = 3000;

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {  // an old browser, or a page that may not: the command stays selected for Ctrl-C
    return false;
  }
  return true;
}

async function listens(lab) {
  try {
    await fetch(`${lab}/api`, { mode: "no-cors", signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) });
    return true;
  } catch {
    return false;
  }
}

function setUp(box) {
  const command = box.querySelector(".wpw-command");
  const button = box.querySelector(".wpw-copy");
  const link = box.querySelector(".wpw-open");
  const said = box.querySelector(".wpw-said");
  let warned = false;

  button.hidden = false;
  button.addEventListener("click", async () => {
    if (await copy(command.textContent)) {
      said.textContent = "Copied.";
    } else {
      getSelection().selectAllChildren(command);
      said.textContent = "Selected: copy it with Ctrl-C.";
    }
  });

  link.addEventListener("click", async (event) => {
    if (warned) return;  // whoever asks again is taken there
    event.preventDefault();
    said.textContent = "Looking for your lab …";
    if (await listens(box.dataset.lab)) {
      location.assign(link.href);
    } else {
      warned = true;
      said.textContent = `No lab answers at ${box.dataset.lab}. Start it with the command; then the link opens it.`;
    }
  });
}

document.querySelectorAll(".wpw-run").forEach(setUp);
