// @ts-check
/** The page: it puts its parts together. Each of them can be read alone. */

import { hasLeft, privacyPanel, receiptLines, whoAnswers } from './answering.js';
import { auditPanel } from './audit.js';
import { openFrame } from './bridge.js';
import { linkNotice, perform, webAddress } from './browser.js';
import { Conversation, words } from './conversation.js';
import { conversationsPanel } from './conversations.js';
import { dictation } from './dictation.js';
import { armedButton, button, find, make, recall, remember } from './dom.js';
import { Grants, grantsPanel } from './grants.js';
import { call, Fault } from './node.js';
import { Questions } from './questions.js';
import './question.js';
import { enter, leave } from './session.js';
import { beginTheme, nextTheme, setTheme, theme } from './theme.js';

/** @typedef {import('./messages.js').FromFrame} FromFrame */
/** @typedef {import('./conversation.js').Turn} Turn */

const EXAMPLES = ['How much space is left?', 'Which apps are running?', 'Restart hello'];
/** After the last key, somebody may still be typing. */
const STILL_TYPING = 4000;
/** What stood in the composer of this tab. */
const DRAFT = 'archy.draft';

const place = find('frame', HTMLDivElement);
const notices = find('notices', HTMLDivElement);
const badge = find('questions', HTMLButtonElement);
const answering = find('answering', HTMLParagraphElement);
const done = find('done', HTMLElement);
const panel = find('panel', HTMLElement);
const panelTitle = find('panel-title', HTMLHeadingElement);
const panelBody = find('panel-body', HTMLDivElement);
/** @type {Record<string, string>} */
const PANELS = { conversations: 'Conversations', grants: 'What is open', privacy: 'Privacy', audit: 'Audit' };

/** @type {import('./bridge.js').Frame | null} */
let frame = null;
/** Whether nobody is logged in. It stays so until the page is loaded again. */
let isShut = false;
let draft = recall(DRAFT) ?? '';
let typedAt = -Infinity;
/** Whether the keyboard was in the chat before a question took its place. */
let wasTyping = false;
/** The panel that is shown, and the element that opened it. */
let shown = '';
/** @type {Element | null} */
let opener = null;
let wanted = '';

const grants = new Grants(() => {
  frame?.send({ type: 'permissions:update', open: grants.open });
  if (shown === 'grants') showPanel('grants');
});
const conversation = new Conversation({
  frame: (turn, event) => frame?.send({ type: 'chat:event', turn: turn.number, event }),
  page: onEvent,
  replaced: () => { sendContext(); drawAnswering(); askAgainToOpen(); },
  reached: (reached) => say('reach', reached ? '' : 'The node does not answer. What runs on it goes on; this page keeps asking.'),
});
const questions = new Questions({
  mayOpen: () => performance.now() - typedAt > STILL_TYPING,
  // A live frame can take the keyboard from any dialog: so there is none while a person decides.
  opens: () => {
    wasTyping = document.activeElement === frame?.element;
    frame?.end();
    frame = null;
  },
  closed: () => {
    openChat();
    if (wasTyping) frame?.element.focus();
  },
  counted: (count) => {
    badge.hidden = count === 0;
    badge.textContent = count === 1 ? 'A question waits for you' : `${count} questions wait for you`;
  },
  says: (says) => say('answer', says, true),
  loggedOut: failed,
});

/** One line for each thing that there is to say, until it is taken back or closed. @param {string} about @param {string} says */
function say(about, says, mayClose = false) {
  notices.querySelector(`[data-about="${about}"]`)?.remove();
  if (says === '') return;
  const line = make('p', { class: 'notice', text: says });
  line.dataset.about = about;
  if (mayClose) line.append(' ', button('Close', () => line.remove()));
  notices.append(line);
}

/** @param {unknown} error */
function failed(error) {
  if (error instanceof Fault && error.code === 'unauthenticated') { shut('This browser is not logged in any more.'); return; }
  say('failed', words(error), true);
}

function openChat() {
  if (isShut || frame || questions.isAsking) return;
  frame = openFrame(place, new URL('frame/', document.baseURI), onFrame, (why) => {
    frame = null;
    const line = make('p', { class: 'notice warning' }, `The chat was stopped: ${why}. `);
    line.append(button('Open it again', () => { line.remove(); openChat(); }));
    notices.append(line);
  });
}

function sendContext() {
  const turns = conversation.turns.map(({ number, shown: events }) => ({ turn: number, events }));
  frame?.send({ type: 'context:response', context: { theme: theme(), open: grants.open, examples: EXAMPLES, draft, turns } });
}

/** What stands in the composer: the frame that has it may go at any time. @param {string} text */
function keepDraft(text) {
  draft = text;
  remember(DRAFT, text === '' ? null : text);
}

/** @param {FromFrame} message */
function onFrame(message) {
  switch (message.type) {
    case 'context:request':
      sendContext();
      break;
    case 'chat:request':
      typedAt = -Infinity;
      keepDraft('');
      takeOffersBack();
      conversation.say(message.text).catch(failed);
      break;
    case 'cancel':
      conversation.stop().catch(failed);
      break;
    case 'typing':
      typedAt = message.draft === '' ? -Infinity : performance.now();
      keepDraft(message.draft);
      break;
    case 'open-link': {
      const url = webAddress(message.url);
      document.getElementById('link')?.remove();
      const line = url ? linkNotice(url, 'Open this link?') : make('p', { class: 'notice', text: 'That is no link to the web.' });
      line.id = 'link';
      notices.append(line);
      break;
    }
  }
}

/** @param {Turn} turn @param {import('./wire.js').Event} event */
function onEvent(turn, event) {
  if (event.type === 'confirmation-required' || event.type === 'confirmation-resolved') questions.look();
  if (event.type === 'closed') askToOpen(turn, event.category);
  if (event.type === 'browser-action' && turn.isMine) act(turn, event);
  if (event.type !== 'text') drawAnswering();
  if (shown === 'privacy' && turn.over) showPanel('privacy');
}

/** @param {Turn} turn @param {{call: number, verb: string, target: string}} action */
async function act(turn, action) {
  const page = { show: navigate, themed: drawTheme, notice: (/** @type {HTMLElement} */ line) => { notices.append(line); } };
  const outcome = await perform(action, page);
  // Too late, or the turn was stopped: there is nothing to tell any more.
  await call('browsed', { turn: turn.id, call: action.call, outcome }).catch(() => {});
}

/** The node says what a request would need; whether it is opened is for the person to say, here. @param {Turn} turn @param {string} category */
function askToOpen(turn, category) {
  const about = `open-${category}`;
  say(about, `For this, the assistant needs what is in “${category}”, which is closed. `, true);
  notices.querySelector(`[data-about="${about}"] > button`)?.before(armedButton('Open it and ask again', () => {
    say(about, '');
    grants.set(category, true).then(() => conversation.say(turn.said)).catch(failed);
  }), ' ', button('See what is open', () => { wanted = category; navigate('grants'); }), ' ');
}

function takeOffersBack() {
  for (const line of notices.querySelectorAll('[data-about^="open-"]')) line.remove();
}

/** Of the conversation that is shown now, not of the one before. */
function askAgainToOpen() {
  takeOffersBack();
  const turn = conversation.turns.at(-1);
  for (const event of turn?.events ?? []) {
    if (turn && event.type === 'closed' && !grants.open.includes(event.category)) askToOpen(turn, event.category);
  }
}

function drawAnswering() {
  const turn = conversation.turns.at(-1);
  const who = turn ? whoAnswers(turn.events) : '';
  const left = turn && hasLeft(turn.events) ? 'Something left the node: see Privacy' : 'Nothing left the node';
  answering.textContent = who === '' ? '' : `${who} · ${left}`;
  answering.classList.toggle('remote', left.startsWith('Something'));
  done.replaceChildren(...(turn ? receiptLines(turn) : []));
}

/** @param {string} name */
function navigate(name) {
  if (name === 'chat') { closePanel(); return true; }
  if (!(name in PANELS)) return false;
  opener = document.activeElement;
  showPanel(name);
  panelTitle.focus();
  // It may have been changed elsewhere since it was read.
  if (name === 'grants') grants.read().catch(failed);
  return true;
}

/** @param {string} name */
function showPanel(name) {
  const content = {
    conversations: () => conversationsPanel(conversation, failed, closePanel),
    grants: () => grantsPanel(grants, failed, wanted),
    privacy: () => privacyPanel(conversation.turns),
    audit: () => auditPanel(failed),
  }[name];
  if (!content) return;
  // Drawn again after a change: whatever had the keyboard has it still.
  const focused = panel.contains(document.activeElement) ? document.activeElement?.id : '';
  shown = name;
  panelTitle.textContent = PANELS[name] ?? '';
  panelBody.replaceChildren(content());
  panel.hidden = false;
  document.body.classList.add('has-panel');
  for (const tab of document.querySelectorAll('[data-panel]')) {
    tab.setAttribute('aria-pressed', String(tab instanceof HTMLElement && tab.dataset.panel === name));
  }
  if (focused) document.getElementById(focused)?.focus();
}

function closePanel() {
  shown = '';
  wanted = '';
  panel.hidden = true;
  document.body.classList.remove('has-panel');
  for (const tab of document.querySelectorAll('[data-panel]')) tab.setAttribute('aria-pressed', 'false');
  if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
}

/** Nobody is logged in: nothing of the chat is on the page. @param {string} says */
function shut(says) {
  if (isShut) return;
  isShut = true;
  questions.end();
  frame?.end();
  frame = null;
  for (const left of [notices, done, panelBody]) left.replaceChildren();
  find('top', HTMLElement).hidden = true;
  find('desk', HTMLElement).hidden = true;
  find('door', HTMLElement).hidden = false;
  find('door-says', HTMLParagraphElement).textContent = says;
}

function listenToButtons() {
  for (const tab of document.querySelectorAll('[data-panel]')) {
    if (!(tab instanceof HTMLElement)) continue;
    tab.addEventListener('click', () => {
      const name = tab.dataset.panel ?? '';
      if (shown === name) closePanel();
      else navigate(name);
    });
  }
  find('panel-close', HTMLButtonElement).addEventListener('click', closePanel);
  panel.addEventListener('keydown', (event) => { if (event.key === 'Escape') closePanel(); });
  badge.addEventListener('click', () => questions.review());
  find('theme', HTMLButtonElement).addEventListener('click', () => { setTheme(nextTheme()); drawTheme(); });
  find('leave', HTMLButtonElement).addEventListener('click', () => {
    leave().finally(() => { sessionStorage.clear(); location.reload(); });
  });
  document.addEventListener('keydown', ({ target }) => { if (target instanceof HTMLInputElement) typedAt = performance.now(); });
  dictation(find('below', HTMLElement), (text) => {
    keepDraft(`${draft} ${text}`.trim());
    frame?.send({ type: 'draft', text });
  });
}

function drawTheme() {
  find('theme', HTMLButtonElement).textContent = `Theme: ${theme()}`;
  sendContext();
}

async function begin() {
  const entered = await enter();
  beginTheme(typeof entered === 'string' ? undefined : entered.theme);
  if (typeof entered === 'string') { shut(entered); return; }
  find('top', HTMLElement).hidden = false;
  find('desk', HTMLElement).hidden = false;
  listenToButtons();
  drawTheme();
  await grants.read();
  await conversation.again();
  openChat();
  drawAnswering();
  await questions.look();
  // Grants can be changed elsewhere, in a terminal or by another page.
  setInterval(() => { if (!isShut && document.visibilityState === 'visible') grants.read().catch(failed); }, 10_000);
}

// A link that is opened where the page stands already only changes what is behind the #.
addEventListener('hashchange', () => { if (location.hash.startsWith('#once=')) location.reload(); });
begin().catch(failed);
