// @ts-check
/** How this browser looks. The node's own setting is what a new browser begins with. */

/** @typedef {'light' | 'dark' | 'system'} Theme */

const KEPT = 'archy.theme';
/** @type {Theme[]} */
const ALL = ['system', 'light', 'dark'];

/** @param {unknown} word @returns {word is Theme} */
export const isTheme = (word) => ALL.some((theme) => theme === word);

/** @returns {Theme} */
export function theme() {
  const shown = document.documentElement.dataset.theme;
  return isTheme(shown) ? shown : 'system';
}

/** @param {Theme} chosen */
export function setTheme(chosen) {
  document.documentElement.dataset.theme = chosen;
  try {
    localStorage.setItem(KEPT, chosen);
  } catch { /* Its storage is full, or off: then it is for this page alone. */ }
}

/** @param {string | undefined} usual The node's setting. */
export function beginTheme(usual) {
  const kept = localStorage.getItem(KEPT);
  const begins = isTheme(kept) ? kept : isTheme(usual) ? usual : 'system';
  document.documentElement.dataset.theme = begins;
}

/** The one that the button takes next. */
export function nextTheme() {
  return ALL[(ALL.indexOf(theme()) + 1) % ALL.length] ?? 'system';
}
