// @ts-check
/** A hostile script in the chat frame of a real node: nothing that it does leaves the frame. */

import { holds, runAll, same, until } from './checks.mjs';
import { GREETS, REACHING, all, click, goes, tries, weaker, withScript, without } from './hostile.mjs';
import { measured } from './measured.mjs';
import { startNames } from './names.mjs';
import { netlog } from './netlog.mjs';
import { logIn, startNode, startProfile } from './node.mjs';
import { startOutside } from './outside.mjs';
import { startTap } from './tap.mjs';

/** @typedef {import('./outside.mjs').Outside} Outside */
/** @typedef {import('./tap.mjs').Answer} Answer */

const FRAME = '/aiui/frame/';
const node = await startNode(['--no-model']);
const tap = await startTap(node.origin);
const names = await startNames();
const log = netlog();
const { context, version } = await startProfile([...tap.browserArgs, ...log.browserArgs],
  typeof names === 'string' ? undefined : names.around);
console.log(`measured in Chromium ${version}; other browsers were not`);
if (typeof names === 'string') console.log(`names are counted in the browser's network log alone: ${names}`);

const outside = await startOutside('hostile');
const open = await startOutside('control');
/** @type {string[]} */
let tried = [];
/** Ways by which something arrived from a frame without walls. @type {Set<string>} */
const proven = new Set();

/** What of a phase reached the node's own address: `way:S`. @param {string} phase */
const ownHits = (phase) => [...new Set(tap.seen.flatMap(({ url }) => {
  const [where, way = ''] = (new URL(url, node.origin).searchParams.get('way') ?? '').split(/\.(.*)/);
  return where === phase ? [`${way}:S`] : [];
}))];
/** Names of a phase that the name server was asked for. @param {string} phase */
const nameHits = (phase) => (typeof names === 'string' ? [] : [...new Set(names.asked.filter((name) => name.endsWith(`.${phase}.archy.test`)))]
  .map((name) => `${name.split('.')[0]}:DNS`));
/** @param {string} phase @param {Outside} of */
const hits = (phase, of) => [...of.hits(), ...ownHits(phase), ...nameHits(phase)].sort();
/** That the frame's last word has come to the node's address. @param {string} word */
const said = (word) => until(() => tap.seen.some(({ url }) => url === `/stream/${word}`), `the last word of ${word}`);

/** The page with this in its frame, clicked. @param {(answer: Answer) => Answer} change */
async function hostile(change) {
  tap.changes.set(FRAME, change);
  const { page, chat } = await logIn(context, node);
  await click(chat);
  return { page, chat };
}
/** What a script wrote into its document. @param {import('playwright-core').FrameLocator} chat @param {string} name */
const wrote = async (chat, name) => JSON.parse(await until(() => chat.locator('html').getAttribute(`data-${name}`), `data-${name}`, 60_000));

/** The document with a script that its policy does not name. @type {(answer: Answer) => Answer} */
const STRANGE = (answer) => ({ ...answer, body: answer.body.replace('<script>', '<script>document.documentElement.dataset.ran = "1";') });

holds('a script that is not the frame’s own does not run in it', async () => {
  tap.changes.set(FRAME, STRANGE);
  const { page, chat } = await logIn(context, node);
  // The document is parsed to its end, and so its script would have run.
  await until(() => chat.locator('html').evaluate(() => document.title === 'Chat' && document.readyState === 'complete'), 'the document');
  same(await chat.locator('html').getAttribute('data-ran'), null);
  await page.close();
});

holds('a hostile script in the frame tries every way, and nothing leaves', async () => {
  const { page, chat } = await hostile(withScript(GREETS + tries('hostile', outside)));
  tried = await wrote(chat, 'over');
  await said('hostile');
  same(await page.locator('#frame iframe').count(), 1, 'the frame lived to the end');
  await page.close();
  same(hits('hostile', outside), []);
});

holds('the same from a frame without walls arrives, so that nothing above means nothing', async () => {
  tap.plain.set('/control/', '<!doctype html><title>control</title><iframe src="frame/"></iframe>');
  tap.plain.set('/control/frame/', `<!doctype html><title>control</title><body>control<script>${tries('control', open)}</script>`);
  const page = await context.newPage();
  await page.goto(`${node.origin}/control/`);
  const frame = page.frameLocator('iframe');
  await click(frame);
  same(await wrote(frame, 'over'), tried);
  const wanted = tried.flatMap((way) => measured(way).map((kind) => `${way}:${kind}`))
    .filter((hit) => typeof names !== 'string' || !hit.endsWith(':DNS'));
  await until(() => wanted.every((hit) => hits('control', open).includes(hit)), 'all of them')
    .catch(() => same(wanted.filter((hit) => !hits('control', open).includes(hit)), [], 'these did not arrive'));
  await page.close();
  // Whatever was slower than the control's last is here now.
  same(hits('hostile', outside), []);
  for (const way of tried) if (hits('control', open).some((hit) => hit.startsWith(`${way}:`))) proven.add(way);
  console.log(`     unproven, because nothing arrives without walls either: ${tried.filter((way) => !proven.has(way)).join(', ')}`);
});

/** How the page ends a chat that goes elsewhere; and what it does about what cannot be done at all. */
const STOPPED = 'stopped';
const STAYS = 'stays';
/** @type {Record<string, string>} */
const GOINGS = Object.fromEntries([
  ['location=', 'location.assign', 'location.replace', 'meta-refresh', 'a-click', 'a-download', 'open-self', 'navigation.navigate',
    'own /rpc?leak', 'own /session?leak', 'own /aiui/../rpc?leak', 'own /aiui/%2e%2e/rpc?leak', 'own page?leak', 'own frame?leak',
    'own frame?leak by meta-refresh', 'own frame', 'reload', 'data:', 'blob:', 'mailto:', 'about:blank', 'about:srcdoc'].map((going) => [going, STOPPED]),
  ['javascript:', 'history.back', 'history.go', 'form-self', 'form-blank', 'form-top', 'a-blank', 'a-top', 'a-parent', 'window.open',
    'open-noopener', 'parent.location', 'top.location.replace'].map((going) => [going, STAYS]),
].flat());

/** @param {string} phase @param {Outside} there @param {string} going @param {(answer: Answer) => Answer} [change] */
async function gone(phase, there, going, change = (answer) => answer) {
  const end = GOINGS[going];
  const from = tap.seen.length;
  const { page } = await hostile(all(withScript(GREETS + goes(phase, there, going)), change));
  if (end === STOPPED) await page.locator('#notices').filter({ hasText: 'The chat was stopped: it tried to go elsewhere' }).waitFor();
  else await said(`${phase}.${encodeURIComponent(going)}`);
  const live = await page.locator('iframe').count();
  const here = page.url();
  const pages = context.pages().length;
  await page.close();
  const asked = tap.seen.slice(from).filter(({ url, headers }) => headers['sec-fetch-site'] === 'cross-site' && !url.startsWith('/stream/'));
  return { live, here, pages, asked: asked.map(({ url, status }) => `${status} ${url}`) };
}
for (const [going, end] of Object.entries(GOINGS)) {
  holds(`going away by ${going}: the chat ${end}, and nothing was asked for`, async () => {
    const pages = context.pages().length + 1;
    same(await gone('going', outside, going), { live: end === STAYS ? 1 : 0, here: node.page, pages, asked: [] });
    same(outside.hits(), []);
  });
}

const OPENS = ['form-blank', 'a-blank', 'window.open', 'open-noopener'];
holds('the same without walls goes there, so that nothing above means nothing', async () => {
  const there = await startOutside('free');
  const leaving = Object.keys(GOINGS).filter((going) => !/^own |^reload$|:$|^about|^history/.test(going));
  for (const going of leaving) {
    tap.plain.set('/control/', '<!doctype html><title>control</title><iframe src="frame/"></iframe>');
    tap.plain.set('/control/frame/', `<!doctype html><title>control</title><body>control<script>${goes('free', there, going)}</script>`);
    const page = await context.newPage();
    await page.goto(`${node.origin}/control/`);
    // A page that is only just opening is not one to close.
    const opened = OPENS.includes(going) ? context.waitForEvent('page') : null;
    await click(page.frameLocator('iframe'));
    await until(() => there.hits().includes(`${going}:E`), `${going} to arrive`);
    proven.add(going);
    const other = await opened;
    await other?.waitForLoadState();
    await other?.close();
    await page.close();
  }
  there.end();
  same(outside.hits(), []);
});

holds('nothing of the page, of the node’s origin or of the browser can be taken hold of', async () => {
  const { page, chat } = await hostile(withScript(GREETS + REACHING));
  const got = await wrote(chat, 'reached');
  const { 'self.origin': origin, ...rest } = got;
  same(origin, 'null');
  same(Object.entries(rest).filter(([, what]) => what !== 'refused'), []);
  await page.close();
});

// What each wall is for: with it gone, the same script gets further. Where two walls stand behind each other, the outer one
// (the header that this browser has and others may not) is taken away as well.

const NO_OUTER = without('connection-allowlist');

/** The ways that reached something from a weaker frame. @param {string} phase @param {(answer: Answer) => Answer} change @param {string[]} wanted Waits for these. @param {string[]} [only] */
async function reached(phase, change, wanted, only) {
  const there = await startOutside(phase);
  const { page, chat } = await hostile(all(withScript(GREETS + tries(phase, there, only)), change));
  await wrote(chat, 'over');
  await said(phase);
  await until(() => wanted.every((hit) => hits(phase, there).includes(hit)), `${wanted} (came: ${hits(phase, there)})`).catch(() => {});
  await page.close();
  there.end();
  return hits(phase, there);
}

holds('weaker: without connection-allowlist, connections, packets and names leave, and nothing else does', async () => {
  const wanted = ['link-preconnect:TCP', 'rtc-stun:UDP', 'rtc-turn-tcp:TCP', 'rtc-turn-udp-username:UDP',
    ...typeof names === 'string' ? [] : ['link-dns-prefetch:DNS', 'link-preconnect-dns:DNS', 'rtc-dns:DNS']].sort();
  same(await reached('noallowlist', NO_OUTER, wanted), wanted);
});

holds('weaker: without default-src and connect-src, requests leave', async () => {
  const ways = ['fetch', 'fetch-nocors', 'fetch-keepalive', 'fetchLater', 'xhr', 'xhr-sync', 'websocket', 'websocketstream', 'eventsource',
    'beacon', 'link-prefetch', 'link-preload-fetch', 'a-ping'];
  const wanted = ways.flatMap((way) => [`${way}:E`, `${way}:S`]).sort();
  same(await reached('noconnect', all(NO_OUTER, weaker(/default-src 'none'; /, ''), weaker(/connect-src 'none'; /, '')), wanted, ways), wanted);
});

holds('weaker: a style sheet let in by a nonce that the script can read lets others in', async () => {
  const byNonce = all(NO_OUTER, weaker(/style-src '[^']*'/, "style-src 'nonce-c2VlbQ=='"),
    (/** @type {Answer} */ answer) => ({ ...answer, body: answer.body.replace('<style>', '<style nonce="c2VlbQ==">') }));
  const ways = ['link-stylesheet', 'link-stylesheet(nonce)', 'css-import(nonce)'];
  const wanted = ['css-import(nonce):E', 'css-import(nonce):S', 'link-stylesheet(nonce):E', 'link-stylesheet(nonce):S'];
  const got = await reached('nonce', byNonce, wanted.slice(2), ways);
  same(wanted.slice(2).filter((hit) => !got.includes(hit)), [], `came: ${got}`);
});

holds('weaker: without the page’s frame-src the frame goes elsewhere', async () => {
  const there = await startOutside('nopin');
  const page = '/aiui/';
  tap.changes.set(page, weaker(/frame-src [^;]*; /, 'frame-src *; '));
  for (const going of ['location=', 'meta-refresh', 'a-click', 'a-download', 'open-self', 'navigation.navigate']) {
    const { page: shown } = await hostile(all(withScript(GREETS + goes('nopin', there, going)), NO_OUTER));
    await until(() => there.hits().includes(`${going}:E`), `${going} to arrive`);
    await shown.close();
  }
  tap.changes.delete(page);
  there.end();
});

holds('weaker: without connection-allowlist the frame’s own path is asked for, and the node’s rule refuses it', async () => {
  for (const [going, asked] of /** @type {[string, string][]} */ ([
    ['own frame?leak', '403 /aiui/frame/?leak'], ['own frame?leak by meta-refresh', '403 /aiui/frame/?leak'], ['own frame', '403 /aiui/frame/'], ['reload', '403 /aiui/frame/'],
  ])) {
    const got = await gone('refused', outside, going, NO_OUTER);
    same([got.live, got.asked], [0, [asked]], going);
  }
});

holds('weaker: without the sandbox the page and its store lie open', async () => {
  const bridge = '/aiui/bridge.js';
  tap.changes.set(bridge, (answer) => {
    const parts = answer.body.split("element.setAttribute('sandbox', 'allow-scripts');");
    same(parts.length, 2, 'the attribute');
    return { ...answer, body: parts.join('') };
  });
  const { page, chat } = await hostile(all(withScript(GREETS + REACHING), weaker(/sandbox allow-scripts; /, '')));
  const got = await wrote(chat, 'reached');
  same([got['self.origin'], got['parent.document'], got['top.location.href']], [node.origin, 'Archy', node.page]);
  same(got['parent.localStorage'] !== 'refused' && got['parent.fetch'] !== 'refused' && got.cookie !== 'refused', true, JSON.stringify(got));
  await page.close();
  // Either of the two is enough: the attribute is still gone here.
  const half = await hostile(withScript(GREETS + REACHING));
  same((await wrote(half.chat, 'reached'))['self.origin'], 'null');
  await half.page.close();
  tap.changes.delete(bridge);
});

holds('weaker: without trusted types, text becomes elements', async () => {
  const { page, chat } = await hostile(all(withScript(GREETS + REACHING), weaker(/; require-trusted-types-for 'script'; trusted-types 'none'/, '')));
  const got = await wrote(chat, 'reached');
  same([got.innerHTML, got.createPolicy], ['B', 'default']);
  await page.close();
});

holds('weaker: with ‘unsafe-inline’ in the place of the hash, any script runs', async () => {
  tap.changes.set(FRAME, all(STRANGE, weaker(/script-src '[^']*'/, "script-src 'unsafe-inline'")));
  const { page, chat } = await logIn(context, node);
  await until(() => chat.locator('html').getAttribute('data-ran'), 'the script to run');
  await page.close();
});

holds('the browser’s own log of its network says the same', async () => {
  await context.close();
  const places = (/** @type {Outside} */ of, /** @type {string} */ phase) => [of.origin, `.${phase}.archy.test`, `way=${phase}.`,
    ...Object.values(of.ports).map((port) => `127.0.0.1:${port}`)];
  const words = places(outside, 'hostile');
  same(log.mentions(words), words.map(() => 0), `lines of the log with ${words}`);
  const control = places(open, 'control');
  same(log.mentions(control).map((count) => count > 0), control.map(() => true), `lines of the log with ${control}`);
});

await runAll();
console.log(`ways out tried ${tried.length + Object.keys(GOINGS).length}, proven by a frame without walls ${proven.size}, `
  + `requests, connections, packets and names out ${hits('hostile', outside).length}`);
await context.close();
if (typeof names !== 'string') names.end();
outside.end();
open.end();
tap.end();
log.end();
same(await node.end(), 0, 'the node ends as it should');
