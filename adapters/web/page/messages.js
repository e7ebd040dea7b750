// @ts-check
/**
 * Everything that the page and the chat frame say to each other. Any page can adopt the frame with this file and bridge.js.
 *
 * The frame asks; the page decides what it does about it. No confirmation, no tool call, no id of the node's and nothing
 * secret is ever among these: a frame that was taken over by an answer learns and can do no more than what a person sees
 * and types in it.
 */

/**
 * What the frame sends.
 * - `context:request`: the first thing a frame says; the page answers with `context:response`.
 * - `chat:request`: the person has said this.
 * - `cancel`: the person stops the turn that runs.
 * - `open-link`: the person pressed a link; the page shows where it goes and asks.
 * - `typing`: what stands in the composer and is not sent yet. No question opens over it, and a frame that is loaded
 *   again is given it back.
 * @typedef {{type: 'context:request'}
 *   | {type: 'chat:request', text: string}
 *   | {type: 'cancel'}
 *   | {type: 'open-link', url: string}
 *   | {type: 'typing', draft: string}} FromFrame
 */

/**
 * What the page sends.
 * - `context:response`: all that the frame draws from; it replaces whatever the frame showed.
 * - `chat:event`: something happened in a turn.
 * - `permissions:update`: what is open now; sent after every change of grants.
 * - `draft`: put this into the composer (dictation).
 * @typedef {{type: 'context:response', context: Context}
 *   | {type: 'chat:event', turn: number, event: ChatEvent}
 *   | {type: 'permissions:update', open: string[]}
 *   | {type: 'draft', text: string}} ToFrame
 */

/**
 * @typedef {object} Context
 * @property {'light' | 'dark' | 'system'} theme
 * @property {string[]} open The categories that are open.
 * @property {string[]} examples Three things that can be said, for an empty conversation.
 * @property {string} draft What stood in the composer.
 * @property {{turn: number, events: ChatEvent[]}[]} turns The conversation so far, oldest first. The numbers are the page's own.
 */

/**
 * Something that happened in a turn, as much of it as the frame may know.
 * - `said`: it begins, with what the person said.
 * - `answering`: somebody answers, a model or fixed rules.
 * - `text`: put this after what came before.
 * - `working`: something is looked up or done.
 * - `waiting`: the page asks the person something.
 * - `ended`: the last one. `says` is for people, where there is something to say.
 * @typedef {{type: 'said', text: string}
 *   | {type: 'answering', mind: 'model' | 'rules'}
 *   | {type: 'text', text: string}
 *   | {type: 'working', on: boolean}
 *   | {type: 'waiting', on: boolean}
 *   | {type: 'ended', how: 'answered' | 'stopped' | 'failed', says: string, choices: string[]}} ChatEvent
 */

/** So many characters of a text are taken from a frame; the node itself allows fewer. */
const LONGEST = 65536;

/**
 * Reads what came out of the frame's port: a message, or `null` for everything else.
 * @param {unknown} data
 * @returns {FromFrame | null}
 */
export function fromFrame(data) {
  if (typeof data !== 'object' || data === null) return null;
  const { type, text, url, draft } = /** @type {Record<string, unknown>} */ (data);
  const short = (/** @type {unknown} */ value) => typeof value === 'string' && value.length <= LONGEST;
  switch (type) {
    case 'context:request':
    case 'cancel':
      return { type };
    case 'chat:request':
      return short(text) ? { type, text: /** @type {string} */ (text) } : null;
    case 'open-link':
      return short(url) ? { type, url: /** @type {string} */ (url) } : null;
    case 'typing':
      return short(draft) ? { type, draft: /** @type {string} */ (draft) } : null;
    default:
      return null;
  }
}
