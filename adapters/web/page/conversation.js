// @ts-check
import { recall, remember } from './dom.js';
import { call, Fault, listen } from './node.js';

/** @typedef {import('./messages.js').ChatEvent} ChatEvent */
/** @typedef {import('./wire.js').Event} Event */
/** @typedef {import('./wire.js').Turned} Turned */

/**
 * A turn as the page keeps it.
 * @typedef {object} Turn
 * @property {number} number The page's own, which the frame knows it by.
 * @property {string} id The node's; empty until the node has given one.
 * @property {boolean} isMine Whether it was begun on this page, which then does what it asks of a browser.
 * @property {string} said
 * @property {Event[]} events
 * @property {ChatEvent[]} shown What the frame is told of it.
 * @property {boolean} over
 */

/** So many turns of a conversation are shown. */
const SHOWN = 50;
/** The conversation of this tab, so that a reload shows it again. */
const KEPT = 'archy.conversation';

/**
 * The conversation on the page: what was said, and what happens. Events come from the node in order and are kept here; the
 * frame is told a part of them, and can be given all of it anew at any time.
 */
export class Conversation {
  /** @type {string | undefined} */ #id;
  /** @type {Turn[]} */ turns = [];
  #next = 1;
  #following = new AbortController();
  /** @type {symbol | undefined} */ #opening;

  /**
   * @param {object} told
   * @param {(turn: Turn, event: ChatEvent) => void} told.frame
   * @param {(turn: Turn, event: Event) => void} told.page
   * @param {() => void} told.replaced Another conversation is shown now.
   * @param {(reached: boolean) => void} told.reached Whether the node answers.
   */
  constructor(told) {
    this.told = told;
  }

  get id() { return this.#id; }

  /** The turn that goes on, if one does. */
  get running() { return this.turns.find((turn) => !turn.over); }

  /**
   * Says something.
   * @param {string} text
   */
  async say(text) {
    const { signal } = this.#following;
    const turn = this.#begin(text, true);
    this.#show(turn, { type: 'said', text });
    try {
      const began = await this.#chat(text);
      // Whoever has opened another one meanwhile finds this one in the list.
      if (signal.aborted) return;
      turn.id = began.turn;
      this.#keep(began.conversation);
    } catch (error) {
      turn.over = true;
      if (!signal.aborted) this.#show(turn, { type: 'ended', how: 'failed', says: words(error), choices: [] });
      return;
    }
    await this.#follow(turn);
  }

  /** @param {string} text @returns {Promise<{turn: string, conversation: string}>} */
  async #chat(text) {
    if (this.#id === undefined) return call('chat', { text });
    try {
      return await call('chat', { conversation: this.#id, text });
    } catch (error) {
      // Forgotten in another tab, say: this is the first of a new one then.
      if (!(error instanceof Fault) || error.code !== 'unknown') throw error;
      return call('chat', { text });
    }
  }

  /** Stops the turn that goes on. Its last event comes as for any other end. */
  async stop() {
    const turn = this.running;
    if (!turn?.id) return;
    try {
      await call('cancel', { turn: turn.id });
    } catch (error) {
      // It may have ended by itself meanwhile.
      if (!(error instanceof Fault) || error.code !== 'unknown') throw error;
    }
  }

  /** Shows an empty one; the node makes it when something is said. */
  begin() {
    this.#replace();
    this.#id = undefined;
    remember(KEPT, null);
    this.told.replaced();
  }

  /**
   * Shows one from the node's store, and goes on with the turn that still runs in it.
   * @param {string} id
   */
  async open(id) {
    const ticket = this.#opening = Symbol('opening');
    const page = await call('history', { do: 'page', conversation: id, most: SHOWN });
    // Another one was chosen meanwhile.
    if (ticket !== this.#opening) return;
    this.#replace();
    this.#keep(id);
    for (const turned of /** @type {Turned[]} */ (page.turns).reverse()) {
      const turn = this.#begin(turned.said, false);
      turn.id = turned.turn;
      turn.shown.push({ type: 'said', text: turned.said });
      for (const { event } of turned.events) this.#take(turn, event, false);
    }
    this.told.replaced();
    // Only the last one can still run.
    const last = this.turns.at(-1);
    if (last && !last.over) this.#follow(last).catch(() => {});
  }

  /** Shows what this tab showed before it was reloaded. */
  async again() {
    const kept = recall(KEPT);
    if (kept === null) return this.begin();
    try {
      await this.open(kept);
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'unknown') throw error;
      this.begin();
    }
  }

  /** @param {Turn} turn */
  async #follow(turn) {
    const { signal } = this.#following;
    try {
      const after = turn.events.length > 0 ? turn.events.length - 1 : undefined;
      for await (const { event } of listen(turn.id, after, signal, this.told.reached)) this.#take(turn, event, true);
    } catch (error) {
      if (signal.aborted) return;
      this.#show(turn, { type: 'ended', how: 'failed', says: words(error), choices: [] });
    }
    turn.over = true;
  }

  /** @param {Turn} turn @param {Event} event @param {boolean} isLive */
  #take(turn, event, isLive) {
    turn.events.push(event);
    if (event.type === 'finished' || event.type === 'failed') turn.over = true;
    for (const shown of forFrame(event)) {
      if (isLive) this.#show(turn, shown);
      else add(turn.shown, shown);
    }
    if (isLive) this.told.page(turn, event);
  }

  /** @param {Turn} turn @param {ChatEvent} event */
  #show(turn, event) {
    add(turn.shown, event);
    this.told.frame(turn, event);
  }

  /** @param {string} said @param {boolean} isMine */
  #begin(said, isMine) {
    /** @type {Turn} */
    const turn = { number: this.#next, id: '', isMine, said, events: [], shown: [], over: false };
    this.#next += 1;
    this.turns.push(turn);
    return turn;
  }

  #replace() {
    this.#opening = undefined;
    this.#following.abort();
    this.#following = new AbortController();
    this.turns = [];
  }

  /** @param {string} id */
  #keep(id) {
    this.#id = id;
    remember(KEPT, id);
  }
}

/**
 * As much of an event as the frame may know: no call, no id, nothing of a question but that there is one.
 * @param {Event} event
 * @returns {ChatEvent[]}
 */
function forFrame(event) {
  switch (event.type) {
    case 'started':
      return [{ type: 'answering', mind: event.mind === 'model' ? 'model' : 'rules' }];
    case 'text':
      return [event];
    case 'tool-started':
      return [{ type: 'working', on: true }];
    case 'tool-finished':
      return [{ type: 'working', on: false }];
    case 'confirmation-required':
      return [{ type: 'waiting', on: true }];
    case 'confirmation-resolved':
      return [{ type: 'waiting', on: false }];
    case 'finished':
      return [ended(event.end)];
    case 'failed':
      return [{ type: 'ended', how: 'failed', says: event.says, choices: [] }];
    default:
      return [];
  }
}

/** @param {{type: string, choices?: string[]}} end @returns {ChatEvent} */
function ended({ type, choices = [] }) {
  const how = type === 'cancelled' || type === 'interrupted' ? 'stopped' : 'answered';
  /** @type {Record<string, string>} */
  const says = {
    'answered-in-part': 'The answer was cut: it became too long.',
    'step-limit': 'It stopped here: this took too many steps.',
    cancelled: 'Stopped.',
    interrupted: 'The node was stopped while this ran. Say it again.',
    waiting: 'This waits for an answer elsewhere.',
  };
  return { type: 'ended', how, says: says[type] ?? '', choices };
}

/** Text joins the text before it, so that a long answer is given to a new frame in one piece. @param {ChatEvent[]} to @param {ChatEvent} event */
function add(to, event) {
  const last = to.at(-1);
  if (event.type === 'text' && last?.type === 'text') to[to.length - 1] = { type: 'text', text: last.text + event.text };
  else to.push(event);
}

/** @param {unknown} error */
export const words = (error) => (error instanceof Error ? error.message : String(error));
