/* How does an answer reach a colleague? In the fragment of the page's address, which no browser sends to a server:
   `#answer-1=LETTERS`, base64 of its UTF-8 with - and _ (RFC 4648, section 5). Anybody may have made such an address, so
   its text becomes an answer in the editor, which is judged only when its reader says so. For live-exercise.js. */
"use strict";
globalThis.LiveLink = (() => {

const LONGEST = 1 << 15, FRAGMENT = /^#answer-(\d+)=([\w-]+)$/;

/* The address of an answer; null if it is too long to be one. */
function addressOf(number, answer) {
  const bytes = new TextEncoder().encode(answer);
  if (bytes.length > LONGEST) return null;
  const letters = btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return `${location.href.split("#")[0]}#answer-${number}=${letters}`;
}

/* The answer in this page's address, {number, answer}; null if there is none. */
function answerIn(fragment) {
  const [, number, letters] = fragment.match(FRAGMENT) ?? [];
  if (!letters || letters.length > 2 * LONGEST) return null;
  try {
    const bytes = Uint8Array.from(atob(letters.replaceAll("-", "+").replaceAll("_", "/")), each => each.charCodeAt(0));
    return { number, answer: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return null;
  }
}

return { addressOf, answerIn };

})();
