/* How do the page's scripts make an element? From its name, attributes and children: no markup is read. A classic script's
   function is every script's; this one is loaded before those that call it. */
"use strict";

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
