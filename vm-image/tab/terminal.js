// How does a reader type at the hosts? A terminal in the page, by xterm.js, on the console of a machine that live.js
// has restored. What the guest prints is a terminal's output: xterm.js draws it, and none of it becomes markup. A
// classic script, see live.js; `Terminal` is xterm.js's, whose style sheet the page has, and make() that of the page's
// elements.js.
//
//   await LiveTerminal.open({Terminal, machine, held, place});   until the reader leaves it, or the prompt's program ends
"use strict";
globalThis.LiveTerminal = (() => {
    const ROWS = 24, LEAST_COLUMNS = 20, MOST_COLUMNS = 100;
    const FONT_PX = 13, LEAST_CONTRAST = 4.5, SCROLLBAR_PX = 14;  // xterm.js draws it over the text
    const LEAVE = "Escape and then Tab leave the terminal by the keyboard; Tab alone is the shell's.";

    // Of the page, as it is read at this moment.
    function colours(screen) {
        const {backgroundColor: background, color: foreground} = getComputedStyle(screen);
        return {background, foreground, cursor: foreground, cursorAccent: background, selectionBackground: foreground,
                selectionInactiveBackground: foreground, selectionForeground: background};
    }

    // The guest is told it once: a serial line has no way to say that a window has changed.
    function columns(terminal, screen) {
        const column_px = screen.querySelector(".xterm-screen").getBoundingClientRect().width / terminal.cols;
        const {paddingLeft, paddingRight} = getComputedStyle(screen);
        const room_px = screen.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)
            - SCROLLBAR_PX;
        return Math.max(LEAST_COLUMNS, Math.min(MOST_COLUMNS, Math.floor(room_px / column_px)));
    }

    // Tab completes names in the shell; behind an Escape it is the browser's, and goes on to what comes next.
    function leavesByTab(terminal) {
        let escaped = false;
        terminal.attachCustomKeyEventHandler(event => {
            if (event.type !== "keydown" || event.key === "Shift") return true;
            const leaves = escaped && event.key === "Tab";
            escaped = event.key === "Escape";
            return !leaves;
        });
    }

    function elements() {
        const screen = make("div", {class: "wpw-live-screen"});
        const close = make("button", {type: "button", class: "wpw-live-button"}, "Close the terminal");
        return {screen, close, whole: make("div", {class: "wpw-live-terminal", role: "group", "aria-label": "Terminal"},
                                           make("p", {}, LEAVE), screen, close)};
    }

    async function open({Terminal, machine, held, place}) {
        const {whole, screen, close} = elements();
        place.append(whole);
        const terminal = new Terminal({
            rows: ROWS, theme: colours(screen), fontFamily: getComputedStyle(screen).fontFamily, fontSize: FONT_PX,
            minimumContrastRatio: LEAST_CONTRAST, screenReaderMode: true,
        });
        terminal.open(screen);
        terminal.resize(columns(terminal, screen), ROWS);
        leavesByTab(terminal);
        const painted = new MutationObserver(() => { terminal.options.theme = colours(screen); });
        painted.observe(document.documentElement, {attributeFilter: ["data-theme"]});
        const shell = machine.terminal(held, {columns: terminal.cols, rows: ROWS}, bytes => terminal.write(bytes));
        terminal.onData(text => shell.type(text));
        terminal.focus();
        try {
            await Promise.race([shell.ended, new Promise(resolve => close.addEventListener("click", resolve))]);
        } finally {  // also where its machine breaks
            painted.disconnect();
            terminal.dispose();
            whole.remove();
        }
    }

    return {open};
})();
