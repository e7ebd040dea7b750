// @ts-check
'use strict';
/** @typedef {import('../page/messages.js').FromFrame} FromFrame */
/** @typedef {import('../page/messages.js').ToFrame} ToFrame */

/**
 * The frame's way to its page, and the only one it has. The frame makes the channel and hands one end to the exact origin
 * that served it: in any other page nobody hears it. (`self.origin` is "null" here; the address is still the real one.)
 * @param {(message: ToFrame) => void} heard
 * @returns {{postMessage: (message: FromFrame) => void} | null} `null` where there is no page around it.
 */
function toPage(heard) {
  const { archyFake } = /** @type {{archyFake?: (heard: (message: ToFrame) => void) => {postMessage: (message: FromFrame) => void}}} */ (
    /** @type {unknown} */ (globalThis));
  if (archyFake) return archyFake(heard);
  if (parent === window) return null;
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }) => heard(data);
  parent.postMessage('archy:hello', location.origin, [port2]);
  return port1;
}
