// @ts-check
import { find, make } from './dom.js';
import { words } from './conversation.js';
import { nodeTime } from './node.js';
import { REQUEST, RESPONSE } from './questions.js';

/** @typedef {import('./questions.js').Asked} Asked */
/** @typedef {import('./questions.js').Answered} Answered */

/**
 * The dialog in which a person says yes or no. Whatever is in the way of a yes that nobody meant is here: it counts only
 * 700 ms after the text was on the screen, by a pointer, or by the keyboard once the two digits that stand there are typed.
 * Enter, Space and a key that is held never say yes by themselves. Esc says no.
 */

/** The node counts the same. */
const ARMED_AFTER = 700;

const dialog = find('question', HTMLDialogElement);
const title = find('question-title', HTMLHeadingElement);
const text = find('question-text', HTMLParagraphElement);
const until = find('question-until', HTMLParagraphElement);
const yes = find('question-yes', HTMLButtonElement);
const no = find('question-no', HTMLButtonElement);
const asks = find('question-asks', HTMLElement);
const digits = find('question-digits', HTMLInputElement);
const says = find('question-says', HTMLParagraphElement);

/** @type {{asked: Asked, armedAt: number, pair: string, ticking: number} | null} */
let open = null;
/** Whether the key that is down came by itself, because it is held. */
let isHeld = false;

document.addEventListener(REQUEST, (event) => {
  if (!event.defaultPrevented && event instanceof CustomEvent) show(event.detail);
});

/** @param {Asked} asked */
async function show(asked) {
  const { confirmation, gone } = asked;
  const ticking = setInterval(() => count(confirmation.expires), 1000);
  const shown = { asked, armedAt: Infinity, pair: twoDigits(), ticking };
  open = shown;
  title.textContent = confirmation.of > 1 ? `Do this? (${confirmation.place} of ${confirmation.of})` : 'Do this?';
  // Each line by itself, so that one that is too long for the screen is still one.
  text.replaceChildren(...confirmation.text.split('\n').map((line) => make('span', { class: 'line', text: line })));
  asks.textContent = shown.pair;
  digits.value = '';
  says.textContent = '';
  yes.setAttribute('aria-disabled', 'true');
  dialog.showModal();
  title.focus();
  count(confirmation.expires);
  gone.addEventListener('abort', () => { if (open === shown) close(); }, { once: true });
  try {
    await asked.shown();
  } catch (error) {
    // It cannot be answered yes without this; no is still taken.
    if (open === shown) says.textContent = words(error);
    return;
  }
  shown.armedAt = performance.now() + ARMED_AFTER;
  setTimeout(() => { if (open === shown) yes.removeAttribute('aria-disabled'); }, ARMED_AFTER);
}

/** @param {'confirm' | 'deny'} decision */
function answer(decision) {
  if (!open) return;
  const { id, digest } = open.asked.confirmation;
  close();
  /** @type {Answered} */
  const detail = { id, digest, decision };
  document.dispatchEvent(new CustomEvent(RESPONSE, { detail }));
}

function close() {
  clearInterval(open?.ticking);
  open = null;
  dialog.close();
}

addEventListener('keydown', (event) => {
  isHeld = event.repeat;
  if (!open || event.key !== 'Escape') return;
  // Left to itself, a browser closes the dialog at the second one, whatever the page says.
  event.preventDefault();
  if (!isHeld) answer('deny');
}, true);
for (const end of ['keyup', 'pointerdown']) addEventListener(end, () => { isHeld = false; }, true);

/** Whether a person pressed it, once, for the question that stands there: the second half of a double click is for the one before. @param {MouseEvent} event */
const isMeant = (event) => event.isTrusted && !isHeld && event.detail < 2;

yes.addEventListener('click', (event) => {
  if (!open || !isMeant(event)) return;
  if (performance.now() < open.armedAt) return;
  // Older browsers have no pointer in a click: there a key's has no count.
  const { pointerType, detail } = /** @type {{pointerType?: string, detail: number}} */ (event);
  const byPointer = pointerType === undefined ? detail > 0 : pointerType !== '';
  if (byPointer || digits.value === open.pair) {
    answer('confirm');
    return;
  }
  says.textContent = `To say yes with the keyboard, type ${open.pair} first.`;
  digits.focus();
});
no.addEventListener('click', (event) => { if (isMeant(event)) answer('deny'); });
// Whatever else closes it (a phone's gesture, the browser itself) is a no. The next question may stand there by then.
dialog.addEventListener('cancel', (event) => {
  event.preventDefault();
  answer('deny');
});
dialog.addEventListener('close', () => { if (!dialog.open) answer('deny'); });
// Enter in the field does nothing: there is no form that it could send.

function twoDigits() {
  const [random] = crypto.getRandomValues(new Uint32Array(1));
  return String(10 + ((random ?? 0) % 90));
}

/** @param {number} expires */
function count(expires) {
  const left = Math.max(0, Math.round((expires - nodeTime()) / 1000));
  until.textContent = left > 0 ? `Without an answer it is not done. ${left} s left.` : 'The time is over.';
}
