// @ts-check
import { fromFrame } from './messages.js';

/** @typedef {import('./messages.js').FromFrame} FromFrame */
/** @typedef {import('./messages.js').ToFrame} ToFrame */

/** What the frame says first, with the port that it made. */
const HELLO = 'archy:hello';
/** More messages than this in ten seconds are no person's doing. */
const MOST_IN_TEN_SECONDS = 400;

/**
 * A live chat frame. There is no way to reload one: end it and open another.
 * @typedef {object} Frame
 * @property {(message: ToFrame) => void} send Says something; nothing happens before the frame has said hello, or after the end.
 * @property {() => void} end Takes it out of the page. Nothing comes from it any more.
 * @property {HTMLIFrameElement} element
 */

/**
 * Puts a chat frame into `place`. The server must give it the headers of the frame, and this page must pin `frame-src` to
 * its address: the sandbox alone does not keep it from navigating away with what it knows.
 * @param {Element} place
 * @param {URL} url
 * @param {(message: FromFrame) => void} heard Called for every message that is one.
 * @param {(why: string) => void} broke Called once, if the frame did what it must not; it is gone then.
 * @returns {Frame}
 */
export function openFrame(place, url, heard, broke) {
  /** @type {MessagePort | null} */
  let port = null;
  let over = false;
  let loads = 0;
  let recent = 0;
  const element = document.createElement('iframe');
  element.title = 'Chat';
  element.setAttribute('sandbox', 'allow-scripts');
  element.setAttribute('referrerpolicy', 'no-referrer');
  element.setAttribute('allow', '');
  element.setAttribute('credentialless', '');
  element.src = url.href;

  const counting = setInterval(() => { recent = 0; }, 10_000);
  const listening = new AbortController();
  const { signal } = listening;

  function end() {
    if (over) return;
    over = true;
    clearInterval(counting);
    listening.abort();
    port?.close();
    element.remove();
  }
  /** @param {string} why */
  function stop(why) {
    if (over) return;
    end();
    broke(why);
  }

  // Every load after the first is the frame's own doing, also one that was blocked.
  element.addEventListener('load', () => { if ((loads += 1) > 1) stop('it tried to go elsewhere'); }, { signal });
  document.addEventListener('securitypolicyviolation', (event) => {
    if (event.effectiveDirective.startsWith('frame-src')) stop('it tried to go elsewhere');
  }, { signal });
  // Any frame of the web has the origin "null": the source is what counts. The first hello only, so that no document that
  // comes after gets a port.
  addEventListener('message', (event) => {
    if (port || event.source !== element.contentWindow || event.origin !== 'null') return;
    if (event.data !== HELLO || event.ports.length !== 1) return;
    port = /** @type {MessagePort} */ (event.ports[0]);
    port.onmessage = ({ data }) => {
      if (over) return;
      if ((recent += 1) > MOST_IN_TEN_SECONDS) { stop('it said too much at once'); return; }
      const message = fromFrame(data);
      if (message) heard(message);
    };
  }, { signal });

  place.append(element);
  return { element, end, send: (message) => { if (!over) port?.postMessage(message); } };
}
