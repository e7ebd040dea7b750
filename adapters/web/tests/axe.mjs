// @ts-check
/** What axe-core finds that is serious, on the page and in its frame, each looked at by itself. */

import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** @param {import('playwright-core').Page} page @returns {Promise<string[]>} */
export async function axe(page) {
  const found = [];
  for (const frame of page.frames()) {
    await frame.evaluate(SOURCE);
    found.push(...await frame.evaluate(async () => {
      const { axe: look } = /** @type {any} */ (globalThis);
      const { violations } = await look.run(document, { iframes: false });
      return violations
        .filter((/** @type {any} */ { impact }) => impact === 'serious' || impact === 'critical')
        .map((/** @type {any} */ { id, nodes }) => `${id}: ${nodes.map((/** @type {any} */ one) => one.html).join(' | ')}`);
    }));
  }
  return found;
}
