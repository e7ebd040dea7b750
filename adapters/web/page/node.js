// @ts-check
/** The page's way to the node: its JSON-RPC methods over HTTP. What they take and give is in docs/jsonrpc.md. */

/** @typedef {import('./wire.js').Numbered} Numbered */

/** Why something was not done: a stable code and words for a person. */
export class Fault extends Error {
  /** @param {string} code @param {string} says */
  constructor(code, says) {
    super(says);
    this.code = code;
  }
}

const RPC = new URL(document.documentElement.dataset.rpc ?? '/rpc', location.origin);
/** Kept by the browser for this port alone. The cookie goes to every port of this machine, so it is worth nothing without. */
const KEPT = 'archy.csrf';
let calls = 0;
/** By how much the node's clock is ahead of this one, as far as its answers tell. */
let ahead = 0;

/** What time it is on the node, in milliseconds since 1970. */
export const nodeTime = () => Date.now() + ahead;

/** Whether this browser has logged in before; the node may have forgotten it. */
export const isKnown = () => localStorage.getItem(KEPT) !== null;

/** @param {string | null} csrf @returns {boolean} Whether this browser keeps it. */
export function keep(csrf) {
  try {
    if (csrf === null) localStorage.removeItem(KEPT);
    else localStorage.setItem(KEPT, csrf);
    return true;
  } catch {
    return false;
  }
}

/** @returns {Record<string, string>} */
export const headers = () => ({ 'content-type': 'application/json', 'x-archy-csrf': localStorage.getItem(KEPT) ?? '' });

/**
 * Calls one of the assistant's methods.
 * @param {string} method Without a namespace.
 * @param {object} [params]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 * @throws {Fault} `unreachable` where the node does not answer, and the node's own otherwise.
 */
export async function call(method, params, signal) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: (calls += 1), method: `assistant.${method}`, params: params ?? {} });
  let answer;
  try {
    const response = await fetch(RPC, { method: 'POST', headers: headers(), body, signal: signal ?? null });
    const told = Date.parse(response.headers.get('date') ?? '');
    // It is told to the second: a difference that small is none.
    if (Number.isFinite(told)) ahead = Math.abs(told - Date.now()) > 2000 ? told - Date.now() : 0;
    answer = await response.json();
  } catch (error) {
    if (signal?.aborted) throw new Fault('aborted', 'It was not waited for.');
    throw new Fault('unreachable', 'The node does not answer. Is it running?');
  }
  if (answer.error) throw new Fault(String(answer.error.data ?? answer.error.code), String(answer.error.message));
  return answer.result;
}

/**
 * The events of a turn after number `after`, in order and without gaps, until its end. A node that does not answer is asked
 * again: the turn goes on without us, and everything that happened in it is kept.
 * @param {string} turn
 * @param {number | undefined} after
 * @param {AbortSignal} signal
 * @param {(reached: boolean) => void} reached Told whether the node answers.
 * @returns {AsyncGenerator<Numbered>}
 */
export async function* listen(turn, after, signal, reached) {
  for (;;) {
    try {
      const params = { turn, wait_ms: 25_000, ...(after === undefined ? {} : { after }) };
      const { events, over } = await call('events', params, signal);
      reached(true);
      for (const numbered of events) {
        after = numbered.seq;
        yield numbered;
      }
      if (over) return;
    } catch (error) {
      if (!(error instanceof Fault) || !['unreachable', 'rate-limited', 'stopping'].includes(error.code)) throw error;
      if (error.code === 'unreachable') reached(false);
      await new Promise((go) => { setTimeout(go, 1000); });
      if (signal.aborted) return;
    }
  }
}
