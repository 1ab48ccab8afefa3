// How does a picture that a guest has drawn become part of a page? As elements made one by one of the tree that
// core/draw/tree.py's data() gives, [tag, {attributes}, ...children]: no markup is read, and what core/draw does not use
// is refused, so a guest can draw and do nothing else. The box of the page has the style sheet. A classic script.
//
//   place.append(LiveTree.element(tree, document));
"use strict";
globalThis.LiveTree = (() => {
    const HTML = "http://www.w3.org/1999/xhtml", SVG = "http://www.w3.org/2000/svg";
    const TAGS = new Set(("figure figcaption div p ul li b br small span code details summary table caption thead tbody tr th td "
        + "svg g path rect text title desc").split(" "));
    const ANY = /^/, OURS = /^wpw-[\w-]+(?: wpw-[\w-]+)* ?$/;  // no way to read a text twice
    const ATTRIBUTES = {
        class: ANY, role: ANY, tabindex: /^0$/, hidden: ANY, scope: ANY, colspan: ANY, "data-file": ANY,
        "aria-label": ANY, "aria-hidden": ANY, "aria-labelledby": OURS, id: OURS,
        style: /^(--wpw-[\w-]+:[\d.]+px;?)*$/,  // a picture's sizes
        viewBox: ANY, xmlns: ANY, d: ANY, x: ANY, y: ANY, width: ANY, height: ANY, rx: ANY, "text-anchor": ANY,
    };

    class TreeError extends Error {}

    function element(tree, document, above = HTML) {
        if (typeof tree === "string") return document.createTextNode(tree);
        const [tag, attributes, ...children] = tree, space = tag === "svg" ? SVG : above;
        if (!TAGS.has(tag)) throw new TreeError(`expected an element of a picture, found <${tag}>`);
        const made = document.createElementNS(space, tag);
        for (const [name, value] of Object.entries(attributes)) {
            if (!Object.hasOwn(ATTRIBUTES, name) || !ATTRIBUTES[name].test(value))
                throw new TreeError(`expected an attribute of a picture, found ${name}="${value}"`);
            made.setAttribute(name, value);
        }
        made.append(...children.map(child => element(child, document, space)));
        return made;
    }

    return {element, TreeError};
})();
