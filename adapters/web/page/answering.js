// @ts-check
import { listed, make } from './dom.js';

/** @typedef {import('./wire.js').Event} Event */
/** @typedef {import('./wire.js').Receipt} Receipt */
/** @typedef {import('./conversation.js').Turn} Turn */

/** What each end of a question means to a person. @type {Record<string, string>} */
const OUTCOMES = {
  done: 'Done',
  failed: 'Failed',
  'not-asked': 'Not asked',
  denied: 'You said no',
  expired: 'Nobody answered in time',
  revoked: 'Closed meanwhile',
  'target-changed': 'It had changed meanwhile',
  superseded: 'Something new was said',
  cancelled: 'Stopped',
  voided: 'The node was restarted',
  'outcome-unknown': 'Whether it was done is not known',
};
/** @type {Record<string, string>} */
const PLACES = { 'on-node': 'on this node', 'own-network': 'on your own network', remote: 'remote' };

/** Who answers a turn, and where, in a few words. @param {Event[]} events */
export function whoAnswers(events) {
  const started = events.filter((event) => event.type === 'started').at(-1);
  if (!started) return '';
  if (started.mind === 'rules') return 'No model: fixed rules, on this node';
  return `${started.backend}, ${PLACES[started.locality] ?? started.locality}`;
}

/** Whether something of a turn went to a machine that is not the owner's. @param {Event[]} events */
export const hasLeft = (events) => events.some((event) => event.type === 'crossed');

/** What left the node in a turn, what was held back, and what it used: one line each. @param {Event[]} events */
export function whatLeft(events) {
  const lines = [];
  for (const event of events) {
    if (event.type === 'crossed') {
      const holds = event.holds.length > 0 ? `, with what is in ${listed(event.holds)}` : ', with nothing of the node’s';
      lines.push(`${event.messages} messages (${event.bytes} bytes) went to ${event.backend}${holds}.`);
    } else if (event.type === 'withheld') {
      lines.push(`What is in ${event.category} was not sent to ${event.backend}.`);
    } else if (event.type === 'backend-switched') {
      lines.push(`${event.from}: ${event.why}. ${event.to} went on.`);
    }
  }
  if (!hasLeft(events)) lines.push('Nothing left your own machines.');
  return [...new Set(lines)];
}

/** What a turn cost. Nothing here can spend money; a remote model is paid by its owner's own key. @param {Event[]} events */
export function whatItCost(events) {
  const end = events.at(-1);
  const { input, output } = end?.type === 'finished' ? end.usage : {};
  const tokens = input === undefined && output === undefined ? '' : `${input ?? '?'} tokens read, ${output ?? '?'} written. `;
  return `${tokens}${hasLeft(events) ? 'Its price is between you and whom you pay for it.' : 'It cost nothing.'}`;
}

/** @param {Event[]} events @returns {Receipt[] | null} `null` while the turn goes on. */
export function receipts(events) {
  const end = events.at(-1);
  return end?.type === 'finished' || end?.type === 'failed' ? end.receipts : null;
}

/** The node's own lines on what was done in a turn: whatever the answer says, this is what is true. @param {Turn} turn */
export function receiptLines(turn) {
  const lines = receipts(turn.events);
  if (lines === null) return [];
  if (lines.length === 0) return [make('p', { class: 'receipt', text: 'Nothing was changed.' })];
  return lines.map(({ tool, outcome, says }) => {
    const mark = make('strong', { text: OUTCOMES[outcome] ?? outcome });
    return make('p', { class: `receipt ${outcome}` }, mark, ` · ${tool} · ${says}`);
  });
}

/** The panel on who answered each turn of a conversation, where, what left, and what was done. @param {Turn[]} turns */
export function privacyPanel(turns) {
  const panel = make('div', {}, make('p', { text: 'A model at home comes first. Nothing goes to a remote one unless you have opened it for that, or say yes to it.' }));
  panel.append(make('p', { text: 'Allowance: none. Nothing on this node can pay for an answer.' }));
  if (turns.length === 0) panel.append(make('p', { class: 'empty', text: 'Nothing was said yet. Who answers, and what leaves the node, will stand here for each thing you say.' }));
  for (const turn of [...turns].reverse()) {
    panel.append(make('section', { class: 'turn' },
      make('h3', { text: turn.said }),
      make('p', { text: whoAnswers(turn.events) || 'Nobody yet' }),
      ...whatLeft(turn.events).map((text) => make('p', { text })),
      make('p', { text: whatItCost(turn.events) }),
      ...receiptLines(turn)));
  }
  return panel;
}
