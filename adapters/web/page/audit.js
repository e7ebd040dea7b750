// @ts-check
import { make, slowButton, when } from './dom.js';
import { call } from './node.js';

/** @typedef {import('./wire.js').AuditLine} AuditLine */

/**
 * The panel with the audit, newest first.
 * @param {(error: unknown) => void} failed
 */
export function auditPanel(failed) {
  const says = make('p', { text: '' });
  says.setAttribute('role', 'status');
  const rows = make('tbody');
  const head = make('tr', {}, ...['Line', 'When', 'What', 'About', 'By'].map((text) => make('th', { text })));
  const table = make('div', { class: 'wide' }, make('table', {}, make('thead', {}, head), rows));
  table.tabIndex = 0;
  table.setAttribute('role', 'region');
  table.setAttribute('aria-label', 'Lines of the audit');
  const more = slowButton('Older', page, failed);
  more.hidden = true;
  /** @type {number | undefined} */
  let before;

  async function page() {
    const { lines, older } = await call('audit', { do: 'page', ...(before === undefined ? {} : { before }) });
    for (const line of /** @type {AuditLine[]} */ (lines)) {
      const cells = [String(line.seq), when(line.at), line.fact, line.about, line.principal ?? ''];
      rows.append(make('tr', {}, ...cells.map((text) => make('td', { text }))));
    }
    before = older;
    more.hidden = older === undefined;
    if (rows.childElementCount === 0) says.textContent = 'Nothing was asked yet. Every question, answer and change of what is open will stand here.';
  }
  async function verify() {
    says.textContent = 'Looking at every line…';
    const found = await call('audit', { do: 'verify' });
    says.textContent = found.type === 'sound'
      ? `Every line fits: ${found.first} to ${found.last}.`
      : `Line ${found.line} does not fit: ${found.says}`;
  }

  page().catch(failed);
  return make('div', {},
    make('p', { text: 'What was asked, agreed to, opened and closed. Each line seals the one before it.' }),
    slowButton('Verify every line', verify, failed),
    says, table, more);
}
