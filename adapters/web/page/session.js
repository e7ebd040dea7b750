// @ts-check
import { headers, isKnown, keep } from './node.js';

/**
 * Who may see this page. A host with sessions of its own gives this file in its own words.
 * @typedef {{theme?: string}} Entered
 */

const PLACE = document.documentElement.dataset.session ?? '/session';

const FULL = 'This browser cannot keep the session: its storage for this page is full, or off. Free some, and open a new link.';

/**
 * Logs in with the link by which the page was opened, or finds that this browser is logged in already.
 * @returns {Promise<Entered | string>} What is said to whoever is not.
 */
export async function enter() {
  const once = new URLSearchParams(location.hash.slice(1)).get('once');
  try {
    if (once !== null) {
      // Out of the address at once, so that it stands in no history and on no screenshot.
      history.replaceState(null, '', location.pathname);
      const entered = await asked('POST', { once });
      if (entered.ok) {
        const { csrf, ...rest } = await entered.json();
        return keep(csrf) ? rest : FULL;
      }
      if (!isKnown()) return 'This link has been used, or is too old.';
    }
    if (!isKnown()) return 'This browser is not logged in.';
    const known = await asked('GET');
    if (known.ok) return await known.json();
    if (known.status === 401) {
      keep(null);
      return once === null ? 'This browser is not logged in any more.' : 'This link has been used, or is too old.';
    }
    return `The node refused this page (${known.status}).`;
  } catch {
    return 'The node does not answer. Is it running?';
  }
}

/** Logs out. */
export async function leave() {
  try {
    await asked('DELETE');
  } finally {
    keep(null);
  }
}

/** @param {string} method @param {object} [body] */
function asked(method, body) {
  return fetch(PLACE, { method, headers: headers(), body: body ? JSON.stringify(body) : null });
}
