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

/**
 * A button for what takes a while. Pressed again before that has ended, it does nothing; it stays enabled, so that it keeps
 * the keyboard.
 * @param {string} text @param {() => Promise<void>} on @param {(error: unknown) => void} failed
 */
export function slowButton(text, on, failed) {
  let isUnderWay = false;
  return button(text, () => {
    if (isUnderWay) return;
    isUnderWay = true;
    on().catch(failed).finally(() => { isUnderWay = false; });
  });
}

/** What comes up under a pointer is not what somebody was about to press. */
const ARMED_AFTER = 700;

/**
 * A button for what a person must mean: it can be pressed once it could be read, and only by a person.
 * @param {string} text @param {() => void} on
 */
export function armedButton(text, on) {
  const made = make('button', { text, type: 'button' });
  made.addEventListener('click', ({ isTrusted, detail }) => { if (isTrusted && detail < 2) on(); });
  made.disabled = true;
  setTimeout(() => { made.disabled = false; }, ARMED_AFTER);
  return made;
}

/** @template {HTMLElement} T @param {string} id @param {new () => T} kind @returns {T} */
export function find(id, kind) {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`the page has no ${id}`);
  return element;
}

/** Keeps something for this tab, where the browser does: nothing depends on it. @param {string} name @param {string | null} value */
export function remember(name, value) {
  try {
    if (value === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, value);
  } catch { /* Its storage is full, or off. */ }
}

/** What was kept for this tab. @param {string} name @returns {string | null} */
export function recall(name) {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}

/** @param {number} at Milliseconds since 1970. */
export const when = (at) => new Date(at).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });

/** @param {string[]} words */
export const listed = (words) => new Intl.ListFormat('en').format(words);
