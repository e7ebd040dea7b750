// @ts-check
/** Another script in the chat frame: what a person would see if an answer had taken the frame over. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { same, until } from './checks.mjs';

/** @typedef {import('./tap.mjs').Answer} Answer */
/** @typedef {import('./outside.mjs').Outside} Outside */

const [WAYS, GOINGS, REACHES] = ['ways.js', 'goings.js', 'reaches.js'].map((file) => readFileSync(new URL(file, import.meta.url), 'utf8'));
const POLICY = 'content-security-policy';

/** As a policy names a text that it lets in. @param {string} text */
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The policy of an answer. @param {Answer} answer */
export const policy = (answer) => String(answer.headers[POLICY]);

/**
 * The node's answer with another script in the frame's document and that script's hash in the place of the frame's own.
 * Nothing else is changed.
 * @param {string | ((own: string) => string)} script It may be made of the frame's own.
 * @returns {(answer: Answer) => Answer}
 */
export const withScript = (script) => (answer) => {
  const [, own = ''] = /<script>([^]*)<\/script>/.exec(answer.body) ?? [];
  const other = typeof script === 'string' ? script : script(own);
  if (other.includes('</script')) throw new Error('the script would end itself');
  const parts = policy(answer).split(hash(own));
  same(parts.length, 2, 'one hash is swapped, and no other');
  return {
    ...answer,
    headers: { ...answer.headers, [POLICY]: parts.join(hash(other)) },
    body: answer.body.replace(own, () => other),
  };
};

/** The answer with a part of its policy replaced; it must have been there, once. @param {RegExp} part @param {string} by @returns {(answer: Answer) => Answer} */
export const weaker = (part, by) => (answer) => {
  same(policy(answer).match(new RegExp(part, 'g'))?.length, 1, `${part} in the policy`);
  return { ...answer, headers: { ...answer.headers, [POLICY]: policy(answer).replace(part, by) } };
};

/** The answer without a header that it had. @param {string} name @returns {(answer: Answer) => Answer} */
export const without = (name) => (answer) => {
  const { [name]: gone, ...headers } = answer.headers;
  same(gone !== undefined, true, `there was ${name}`);
  return { ...answer, headers };
};

/** One change after the other. @param {((answer: Answer) => Answer)[]} changes @returns {(answer: Answer) => Answer} */
export const all = (...changes) => (answer) => changes.reduce((changed, change) => change(changed), answer);

/** Greets the page as the real frame does, and keeps what it says. */
export const GREETS = `
const heard = [];
const { port1: port, port2: theirs } = new MessageChannel();
port.onmessage = ({ data }) => heard.push(data);
parent.postMessage('archy:hello', location.origin, [theirs]);
const { dataset } = document.documentElement;
`;

/** A request that the frame's policy allows: whatever was to come before it has come. @param {string} word Part of the address. */
export const sentinel = (word) => `new Audio(location.origin + '/stream/' + ${JSON.stringify(word)}).preload = 'auto';`;

/** Begins at the first click, with the rights that a click gives. @param {string} script */
export const onClick = (script) => `addEventListener('click', async () => { document.documentElement.dataset.clicked = 'yes'; ${script} }, { once: true });
// A document that goes away before it is loaded was never there: its second is then the first that loads.
addEventListener('load', () => setTimeout(() => { document.documentElement.dataset.ready = 'yes'; }));`;

/** The own paths that are tried beside the stranger's server. */
const OWN_PATHS = ['/rpc', '/session', '/aiui/'];

/** Tries every way, or some, and ends with the sentinel that is named like the phase. @param {string} phase @param {Outside} outside @param {string[]} [only] */
export const tries = (phase, outside, only) => `${WAYS}
const GO = ${JSON.stringify({ phase, stranger: outside.origin, ports: outside.ports, paths: OWN_PATHS })};
const ONLY = ${JSON.stringify(only ?? null)} ?? undefined;
${onClick(`
  await tryAll({
    urls: (way) => [
      GO.stranger + '/' + encodeURIComponent(way),
      ...GO.paths.map((path) => location.origin + path + '?way=' + GO.phase + '.' + encodeURIComponent(way)),
    ],
    host: (way) => '127.0.0.1:' + GO.ports[way],
    name: (way) => way + '.' + GO.phase + '.archy.test',
  }, ONLY);
  ${sentinel(phase)}
`)}`;

/** Goes away once clicked, in this way. The sentinel is for those that stay. @param {string} phase @param {Outside} outside @param {string} going */
export const goes = (phase, outside, going) => `${GOINGS}
${onClick(`
  try { await goings(${JSON.stringify(outside.origin)})[${JSON.stringify(going)}](); } catch { /* Stopped. */ }
  // After whatever it put off to a later task.
  setTimeout(() => setTimeout(() => { ${sentinel(`${phase}.${encodeURIComponent(going)}`)} }));
`)}`;

/** Writes what it could take hold of into its document, once clicked. */
export const REACHING = `${REACHES}
${onClick("document.documentElement.dataset.reached = JSON.stringify(await reaches());")}`;

/** The first click, once the script waits for it; anywhere that is nothing else. @param {import('playwright-core').FrameLocator} frame */
export async function click(frame) {
  const root = (/** @type {string} */ state) => frame.locator(`html[data-${state}]`).count();
  await frame.locator('html[data-ready]').waitFor();
  // Chromium drops what is pressed in another's frame that has only just come.
  await until(async () => {
    await frame.locator('body').click({ position: { x: 5, y: 5 }, timeout: 2000 }).catch(() => {});
    return await root('clicked') > 0 || await root('ready') === 0;
  }, 'a click that is heard');
}
