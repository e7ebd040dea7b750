// @ts-check
/** Building what the page shows. Text only ever becomes text: trusted types allow nothing else. */

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {{class?: string, text?: string, type?: string, label?: string, on?: () => void}} [with_]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function make(tag, { class: name, text, type, label, on } = {}, ...children) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (text !== undefined) element.textContent = text;
  if (type) element.setAttribute('type', type);
  if (label) element.setAttribute('aria-label', label);
  if (on) element.addEventListener('click', on);
  element.append(...children);
  return element;
}

/** @param {string} text @param {() => void} on */
export const button = (text, on) => make('button', { text, type: 'button', on });

/** @template {HTMLElement} T @param {string} id @param {new () => T} kind @returns {T} */
export function find(id, kind) {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`the page has no ${id}`);
  return element;
}

/** @param {number} at Milliseconds since 1970. */
export const when = (at) => new Date(at).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });

/** @param {string[]} words */
export const listed = (words) => new Intl.ListFormat('en').format(words);
