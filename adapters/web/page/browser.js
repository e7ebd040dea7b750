// @ts-check
import { button, make } from './dom.js';
import { isTheme, setTheme } from './theme.js';

/**
 * What a turn may ask of this browser. The node offers only what it knows this page can do, and every target is one of its
 * list; the page looks all the same.
 * @param {{verb: string, target: string}} action
 * @param {object} page
 * @param {(panel: string) => boolean} page.show Shows a panel, if there is one of this name.
 * @param {(theme: import('./theme.js').Theme) => void} page.themed
 * @param {(notice: HTMLElement) => void} page.notice
 * @returns {Promise<'done' | 'not-done'>}
 */
export async function perform({ verb, target }, page) {
  switch (verb) {
    case 'theme':
      if (!isTheme(target)) return 'not-done';
      setTheme(target);
      page.themed(target);
      return 'done';
    case 'navigate':
      return page.show(target) ? 'done' : 'not-done';
    case 'launch-app':
      return launch(target, page.notice);
    default:
      return 'not-done';
  }
}

/**
 * A browser opens a new tab only for somebody who presses something.
 * @param {string} target The app's address.
 * @param {(notice: HTMLElement) => void} notice
 * @returns {Promise<'done' | 'not-done'>}
 */
function launch(target, notice) {
  return new Promise((done) => {
    const url = webAddress(target);
    if (!url) { done('not-done'); return; }
    notice(linkNotice(url, 'Open the app?', done));
  });
}

/**
 * A line that shows where a link goes before it goes there.
 * @param {URL} url
 * @param {string} asks
 * @param {(outcome: 'done' | 'not-done') => void} [done]
 */
export function linkNotice(url, asks, done) {
  const line = make('p', { class: 'notice' }, `${asks} `, make('code', { text: url.href }), ' ');
  const end = (/** @type {'done' | 'not-done'} */ outcome) => { line.remove(); done?.(outcome); };
  line.append(
    button('Open', () => { window.open(url.href, '_blank', 'noopener,noreferrer'); end('done'); }),
    button('Not now', () => end('not-done')),
  );
  return line;
}

/** @param {string} text */
export function webAddress(text) {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  // What looks like a sign-in to one host and goes to another is no link.
  const isWeb = (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '' && url.password === '';
  return isWeb ? url : null;
}
