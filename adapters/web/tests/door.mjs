// @ts-check
/** What a test says to the node by the page's own way, beside what the page says. */

import { until } from './checks.mjs';

/** @typedef {import('playwright-core').Page} Page */

/** Says something through the node's door, as another page would. @param {Page} page @param {string} method @param {object} params */
export const rpc = (page, method, params = {}) => page.evaluate(async ([name, given]) => {
  const { call } = await import(new URL('node.js', document.baseURI).href);
  return call(name, given);
}, /** @type {[string, object]} */ ([method, params]));
/** A conversation of its own, in which a person is asked. @param {Page} page @param {string} text */
export async function askElsewhere(page, text) {
  const { turn } = await rpc(page, 'chat', { text });
  await until(async () => (await rpc(page, 'pending')).confirmations.some((/** @type {any} */ one) => one.turn === turn), 'a question');
  return turn;
}
