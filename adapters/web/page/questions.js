// @ts-check
import { call, Fault, nodeTime } from './node.js';
import { words } from './conversation.js';

/** @typedef {import('./wire.js').Confirmation} Confirmation */

/**
 * The page's own pair of events, on `document`. They never cross to the frame: a message of the frame that is called so is
 * no message.
 * - `aiui:tool-confirm-request`, with an {@link Asked}: a person is to be asked. A page with a dialog of its own prevents
 *   the default and does the same as question.js.
 * - `aiui:tool-confirm-response`, with an {@link Answered}: what they said.
 */
export const REQUEST = 'aiui:tool-confirm-request';
export const RESPONSE = 'aiui:tool-confirm-response';

/**
 * @typedef {object} Asked
 * @property {Confirmation} confirmation As the node wrote it.
 * @property {() => Promise<void>} shown Tells the node that it is on the screen; an answer counts 700 ms after this.
 * @property {AbortSignal} gone Aborted when it needs no answer any more, with the reason in words.
 */

/**
 * @typedef {object} Answered
 * @property {string} id
 * @property {string} digest
 * @property {'confirm' | 'deny'} decision
 */

/** How often it is looked for questions that came by another door. */
const LOOK = 3000;

/**
 * The questions that wait. They are fetched from the node and nowhere else, and asked one after the other.
 */
export class Questions {
  /** @type {Confirmation[]} */ waiting = [];
  /** @type {{confirmation: Confirmation, gone: AbortController} | null} */ #asked = null;
  /** Answered here; the node may still be writing that down, or what it told before may still be on its way. @type {Set<string>} */
  #answered = new Set();
  #looking = false;
  #again = false;
  #over = false;
  #timer = 0;

  /**
   * @param {object} told
   * @param {() => boolean} told.mayOpen Whether no one is typing.
   * @param {() => void} told.opens Before a question is asked: the frame leaves the page.
   * @param {() => void} told.closed After it.
   * @param {(count: number) => void} told.counted How many wait and are not on the screen.
   * @param {(says: string) => void} told.says Why a question went without an answer, or what the node said to one that was not taken.
   * @param {(error: unknown) => void} told.loggedOut The node does not know this browser any more.
   */
  constructor(told) {
    this.told = told;
    document.addEventListener(RESPONSE, (event) => {
      if (event instanceof CustomEvent) this.#answer(event.detail);
    });
    const look = () => { if (document.visibilityState === 'visible') this.look(); };
    this.#timer = setInterval(look, LOOK);
    document.addEventListener('visibilitychange', look);
  }

  get isAsking() { return this.#asked !== null; }

  /** Fetches what waits. Questions that are gone leave the screen; new ones come to it if nobody is typing. */
  async look() {
    if (this.#over) return;
    // One look at a time, and one more where somebody asked meanwhile.
    if (this.#looking) { this.#again = true; return; }
    this.#looking = true;
    try {
      do {
        this.#again = false;
        const { confirmations } = await call('pending');
        this.waiting = confirmations.filter((/** @type {Confirmation} */ { id }) => !this.#answered.has(id));
      } while (this.#again);
    } catch (error) {
      if (error instanceof Fault && error.code === 'unauthenticated') this.told.loggedOut(error);
    } finally {
      this.#looking = false;
    }
    if (this.#over) return;
    const asked = this.#asked;
    if (asked && !this.waiting.some(({ id }) => id === asked.confirmation.id)) {
      const late = nodeTime() > asked.confirmation.expires;
      const why = late ? 'Nobody answered in time. Nothing was done.' : 'The question was taken back, or answered elsewhere.';
      asked.gone.abort(why);
      this.#close();
      this.told.says(why);
    }
    this.#next(false);
  }

  /** Looks no more, and takes what is on the screen from it: nobody is logged in. */
  end() {
    this.#over = true;
    clearInterval(this.#timer);
    this.waiting = [];
    this.#asked?.gone.abort('Nobody is logged in.');
    this.#asked = null;
  }

  /** Asks the first question now, because the person wants it. */
  review() {
    this.#next(true);
  }

  /** @param {boolean} wanted */
  #next(wanted) {
    const [first] = this.waiting;
    if (first && !this.#asked && (wanted || this.told.mayOpen())) this.#ask(first);
    this.told.counted(this.waiting.length - (this.#asked ? 1 : 0));
  }

  /** @param {Confirmation} confirmation */
  #ask(confirmation) {
    const gone = new AbortController();
    this.#asked = { confirmation, gone };
    this.told.opens();
    const { id, digest } = confirmation;
    const shown = () => call('confirm-shown', { id, digest });
    document.dispatchEvent(new CustomEvent(REQUEST, { cancelable: true, detail: { confirmation, shown, gone: gone.signal } }));
  }

  /** @param {Answered} answered */
  async #answer({ id, digest, decision }) {
    if (this.#asked?.confirmation.id !== id) return;
    this.#answered.add(id);
    this.waiting = this.waiting.filter((waiting) => waiting.id !== id);
    this.#asked = null;
    // The next one at once, without a chat that comes and goes between them.
    if (this.waiting.length > 0) this.#next(true);
    else this.#close();
    try {
      // Answered when the effect has ended: what became of it is in the turn's receipts.
      await call('confirm-tool', { id, digest, decision });
    } catch (error) {
      // It may still wait, and is asked again then.
      this.#answered.delete(id);
      this.told.says(words(error));
    }
    this.look();
  }

  #close() {
    this.#asked = null;
    this.told.closed();
  }
}
