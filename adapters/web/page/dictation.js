// @ts-check
import { button, make } from './dom.js';

/**
 * Dictation, where a browser has it: the page hears and hands over text, because the frame has no microphone. The text is
 * put into the composer and sent by nobody but the person.
 * @param {Element} place
 * @param {(text: string) => void} heard
 */
export function dictation(place, heard) {
  const known = /** @type {any} */ (globalThis);
  const Recognition = known.SpeechRecognition ?? known.webkitSpeechRecognition;
  if (Recognition === undefined) return;
  /** @type {any} */
  let hearing = null;
  const talk = button('Dictate', () => {
    if (hearing) { hearing.stop(); return; }
    hearing = new Recognition();
    hearing.lang = document.documentElement.lang;
    hearing.onresult = (/** @type {any} */ event) => heard(String(event.results[0][0].transcript));
    hearing.onerror = () => { says.textContent = 'This browser could not hear you.'; };
    hearing.onend = () => { hearing = null; talk.textContent = 'Dictate'; };
    hearing.start();
    talk.textContent = 'Stop';
    // It is the browser's own, and not the node's.
    says.textContent = 'Your browser may send what you say to its maker.';
  });
  const says = make('span', { text: '' });
  says.setAttribute('role', 'status');
  place.append(make('p', { class: 'dictation' }, talk, ' ', says));
}
