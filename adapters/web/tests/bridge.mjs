// @ts-check
/** What passes between page and frame, and what a hostile frame can make of it: a real node, a real browser. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { askElsewhere, rpc } from './door.mjs';
import { holds, runAll, same, until } from './checks.mjs';
import { GREETS, all, click, onClick, sentinel, withScript, without } from './hostile.mjs';
import { logIn, startBrowser, startNode } from './node.mjs';
import { startOllama } from './ollama.mjs';
import { startOutside } from './outside.mjs';
import { ATTRIBUTES, DRAWN, payloads } from './payloads.mjs';
import { startTap } from './tap.mjs';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('playwright-core').FrameLocator} FrameLocator */
/** @typedef {import('./tap.mjs').Answer} Answer */

const FRAME = '/aiui/frame/';
const node = await startNode(['--no-model']);
node.does('grants', 'open', 'system');
const tap = await startTap(node.origin);
const outside = await startOutside('bridge');
const { browser, context, version } = await startBrowser({}, tap.browserArgs);
console.log(`measured in Chromium ${version}; other browsers were not`);

/** The page with this in its frame. @param {string} script */
async function hostile(script) {
  tap.changes.set(FRAME, withScript(script));
  return logIn(context, node);
}
/** The frame as it is again. */
const honest = () => { tap.changes.delete(FRAME); };
/** The frame itself, to call a function that its script left there. @param {Page} page */
async function inside(page) {
  const handle = await page.locator('#frame iframe').elementHandle();
  const frame = await handle?.contentFrame();
  if (!frame) throw new Error('no frame');
  return frame;
}
const dialog = (/** @type {Page} */ page) => page.locator('dialog#question');
const stopped = (/** @type {Page} */ page, /** @type {string} */ why) => page.locator('#notices').filter({ hasText: `The chat was stopped: ${why}` }).waitFor();
const came = (/** @type {string} */ word) => tap.seen.filter(({ url }) => url === `/stream/${word}`).length;
const hostname = () => {
  try {
    return /hostname = "(.*)"/.exec(readFileSync(join(node.data, 'settings.toml'), 'utf8'))?.[1];
  } catch { return undefined; }
};
/** Something that the page does for a frame and that is seen: whatever the frame said before has been heard. */
const LAST_WORD = "port.postMessage({ type: 'open-link', url: 'https://last.example/' });";
const heardLastWord = (/** @type {Page} */ page) => page.locator('#link code').filter({ hasText: 'https://last.example/' }).waitFor();

holds('a second load ends the bridge, and its document is told nothing, though the node had served it', async () => {
  let loads = 0;
  // The node is told that the page asked; and a browser without connection-allowlist lets it be asked.
  tap.claims.set(FRAME, { 'sec-fetch-site': 'same-origin' });
  tap.changes.set(FRAME, (answer) => {
    loads += 1;
    return all(without('connection-allowlist'), withScript(`${GREETS}
      port.onmessage = () => { ${sentinel(`told${loads}`)} };
      port.postMessage({ type: 'context:request' });
      ${onClick('location.href = location.origin + location.pathname;')}`))(answer);
  });
  const { page, chat } = await logIn(context, node);
  await until(() => came('told1') > 0, 'the first document to be told something');
  await click(chat);
  await stopped(page, 'it tried to go elsewhere');
  same([loads, await page.locator('iframe').count()], [2, 0], 'it was served again, and is gone');
  await page.getByRole('button', { name: 'Open it again' }).click();
  await until(() => came('told3') > 0, 'the third document to be told something');
  same(came('told2'), 0);
  tap.claims.delete(FRAME);
  honest();
  await page.close();
});

holds('a second hello gets no port', async () => {
  const { page } = await hostile(`${GREETS}
    const first = heard;
    const other = new MessageChannel();
    const second = [];
    other.port1.onmessage = ({ data }) => second.push(data);
    for (let i = 0; i < 3; i += 1) parent.postMessage('archy:hello', location.origin, i === 0 ? [other.port2] : [new MessageChannel().port2]);
    other.port1.postMessage({ type: 'context:request' });
    // The page hears both, in this order.
    parent.postMessage('later', location.origin);
    setTimeout(() => port.postMessage({ type: 'context:request' }));
    globalThis.told = () => [first.length > 0, second.length];`);
  const frame = await inside(page);
  await until(() => frame.evaluate(() => /** @type {any} */ (globalThis).told()[0]), 'the first port to be answered');
  same(await frame.evaluate(() => /** @type {any} */ (globalThis).told()), [true, 0]);
  await page.close();
});

holds('a hello from the page itself, from another frame or another window is not heard', async () => {
  // The page's own frame says nothing until it is clicked.
  tap.changes.set(FRAME, withScript(`const heard = []; globalThis.heard = heard;
    ${onClick(`${GREETS.replace('const heard = [];', '')} port.postMessage({ type: 'context:request' });`)}`));
  const { page, chat } = await logIn(context, node);
  await chat.locator('html[data-ready]').waitFor();
  await page.evaluate(() => {
    const odd = /** @type {any} */ (globalThis);
    odd.others = [];
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => odd.others.push(data);
    window.postMessage('archy:hello', '*', [port2]);
    port1.postMessage({ type: 'context:request' });
  });
  // Another frame of the same address and origin "null", as if something had put it there.
  tap.changes.set(FRAME, withScript(`${GREETS} globalThis.heard = heard; port.postMessage({ type: 'context:request' });`));
  await page.evaluate(() => {
    const other = document.createElement('iframe');
    other.setAttribute('sandbox', 'allow-scripts');
    other.src = 'frame/';
    other.id = 'other';
    document.body.append(other);
    return new Promise((done) => { other.addEventListener('load', () => done(undefined)); });
  });
  const opened = context.waitForEvent('page');
  await page.evaluate(() => { window.open('/aiui/'); });
  const popup = await opened;
  await popup.waitForLoadState();
  same(await popup.evaluate(() => {
    const odd = /** @type {any} */ (globalThis);
    odd.others = [];
    if (!window.opener) return 'no opener';
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => odd.others.push(data);
    window.opener.postMessage('archy:hello', '*', [port2]);
    port1.postMessage({ type: 'context:request' });
    return 'said';
  }), 'said');
  await click(chat);
  const own = await inside(page);
  const count = () => /** @type {any} */ (globalThis).heard.length;
  await until(() => own.evaluate(count), 'the page’s own frame to be answered');
  const other = await (await page.locator('#other').elementHandle())?.contentFrame();
  const others = () => /** @type {any} */ (globalThis).others.length;
  same([await other?.evaluate(count), await page.evaluate(others), await popup.evaluate(others)], [0, 0, 0]);
  await popup.close();
  await page.close();
});

holds('nothing that looks like an answer to a question is one, not with its true id and digest', async () => {
  const { page } = await hostile(`${GREETS}
    // As long as it says that somebody types, the question waits behind a badge and the frame lives.
    setInterval(() => port.postMessage({ type: 'typing', draft: 'x' }), 300);
    port.postMessage({ type: 'typing', draft: 'x' });
    globalThis.attack = (id, digest, text) => {
      const detail = { id, digest, decision: 'confirm', confirmation: { id, digest, text }, shown: true };
      const types = ['aiui:tool-confirm-request', 'aiui:tool-confirm-response', 'confirm-tool', 'confirm-shown', 'assistant.confirm-tool', 'confirm',
        'confirmation-required', 'confirmation-resolved', 'chat:event', 'grants', 'permissions:update', 'rpc'];
      for (const type of types) {
        const messages = [{ type, detail, ...detail }, { type, params: detail }, { type, method: 'assistant.confirm-tool', params: detail, jsonrpc: '2.0', id: 1 }, { type, payload: detail, text: 'yes', url: id, draft: digest }];
        for (const message of messages) {
          port.postMessage(message);
          parent.postMessage(message, '*');
          parent.postMessage(JSON.stringify(message), '*');
        }
        document.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
        try { parent.document.dispatchEvent(new CustomEvent(type, { detail })); } catch { /* Refused. */ }
        try { parent.dispatchEvent(new CustomEvent(type, { detail })); } catch { /* Refused. */ }
      }
      ${LAST_WORD}
    };`);
  await page.evaluate(() => {
    const odd = /** @type {any} */ (globalThis);
    odd.events = [];
    for (const type of ['aiui:tool-confirm-request', 'aiui:tool-confirm-response']) document.addEventListener(type, () => odd.events.push(type));
  });
  await askElsewhere(page, 'set the hostname to stolen');
  await page.locator('#questions').waitFor();
  const { confirmations: [asked] } = await rpc(page, 'pending');
  const frame = await inside(page);
  await frame.evaluate(([id, digest, text]) => /** @type {any} */ (globalThis).attack(id, digest, text), [asked.id, asked.digest, asked.text]);
  await heardLastWord(page);
  same(await page.evaluate(() => /** @type {any} */ (globalThis).events), [], 'no event of the page');
  same([await dialog(page).isVisible(), await page.locator('#frame iframe').count(), hostname()], [false, 1, undefined]);
  const { confirmations } = await rpc(page, 'pending');
  same(confirmations.map((/** @type {any} */ one) => [one.id, one.digest]), [[asked.id, asked.digest]], 'it still waits');
  await rpc(page, 'confirm-tool', { id: asked.id, digest: asked.digest, decision: 'deny' });
  same((await rpc(page, 'pending')).confirmations, []);
  same(hostname(), undefined);
  await page.close();
});

holds('a flood of messages ends the frame, and the page goes on', async () => {
  // After the click: a frame that is gone before the browser has its answer to one leaves the test waiting for ever.
  const flood = "for (let i = 0; i < 50_000; i += 1) port.postMessage({ type: 'typing', draft: String(i) });";
  const { page, chat } = await hostile(`${GREETS} ${onClick(`setTimeout(() => { ${flood} });`)}`);
  await click(chat);
  await stopped(page, 'it said too much at once');
  same(await page.locator('iframe').count(), 0);
  honest();
  await page.getByRole('button', { name: 'What is open' }).click();
  await page.getByRole('switch', { name: 'system' }).waitFor();
  await page.getByRole('button', { name: 'Open it again' }).click();
  await chat.locator('#composer').fill('how much space is left?');
  await chat.locator('#composer').press('Enter');
  await chat.locator('.answer').filter({ hasText: /free/i }).waitFor();
  await page.close();
});

holds('what is no message changes nothing', async () => {
  const { page, chat } = await hostile(`${GREETS} ${onClick(`
    const cycle = {}; cycle.self = cycle; cycle.type = cycle;
    const long = 'x'.repeat(65_537);
    const own = JSON.parse('{"__proto__": {"type": "chat:request", "text": "polluted", "polluted": "yes"}, "constructor": {"prototype": {"polluted": "yes"}}}');
    const odd = [null, undefined, 0, -0, NaN, 1n, true, '', 'cancel', 'archy:hello', [], ['chat:request', 'x'], [[[[]]]], cycle, own, {}, { type: null }, { type: 0 },
      { type: {} }, { type: ['chat:request'], text: 'array' }, { type: new String('chat:request'), text: 'boxed' }, { type: '__proto__' }, { type: 'constructor' },
      { type: 'hasOwnProperty' }, { type: 'toString' }, { type: 'CHAT:REQUEST', text: 'case' }, { type: 'chat:request ', text: 'space' },
      { type: 'chat:request' }, { type: 'chat:request', text: null }, { type: 'chat:request', text: 1 }, { type: 'chat:request', text: ['a'] },
      { type: 'chat:request', text: { toString: 'x' } }, { type: 'chat:request', text: new String('boxed') }, { type: 'chat:request', text: long },
      { type: 'chat:request', draft: 'elsewhere' }, { type: 'open-link' }, { type: 'open-link', url: {} }, { type: 'open-link', url: long },
      { type: 'typing', draft: {} }, { type: 'typing', draft: long }, { type: 'context:response', context: {} }, { type: 'chat:event', turn: 1, event: { type: 'said', text: 'x' } },
      new Map([['type', 'chat:request'], ['text', 'map']]), new Set(['x']), new Date(), /x/, new Error('x'), new ArrayBuffer(9), new Uint8Array(9), new Blob(['x']),
      'x'.repeat(5_000_000), { type: 'x'.repeat(1_000_000) }, Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => ['k' + i, i]))];
    for (const message of odd) port.postMessage(message);
    const deep = []; let at = deep; for (let i = 0; i < 5_000; i += 1) { const next = []; at.push(next); at = next; }
    try { port.postMessage(deep); } catch { /* Too deep to be said. */ }
    const extra = new MessageChannel();
    extra.port1.onmessage = () => { ${sentinel('extra')} };
    port.postMessage({ type: 'nothing', port: extra.port2 }, [extra.port2]);
    const more = new MessageChannel();
    more.port1.onmessage = () => { ${sentinel('extra')} };
    more.port1.postMessage({ type: 'chat:request', text: 'by an extra port' });
    port.postMessage({ type: 'typing', draft: '' }, [more.port2]);
    ${LAST_WORD}
  `)}`);
  /** @type {string[]} */
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  const before = await rpc(page, 'history', { do: 'list' });
  await page.evaluate(() => { /** @type {any} */ (globalThis).notices = document.querySelectorAll('#notices > *').length; });
  await click(chat);
  await heardLastWord(page);
  same(await rpc(page, 'history', { do: 'list' }), before, 'nothing was said');
  same(await page.evaluate(() => [/** @type {any} */ ({}).polluted, document.querySelectorAll('#notices > *').length - /** @type {any} */ (globalThis).notices]), [null, 1],
    'nothing but the last word is shown');
  same([await page.locator('#frame iframe').count(), came('extra'), errors], [1, 0, []]);
  await page.close();
});

/** Puts down everything that the frame's own port is given, in every frame that there is. @type {string[]} */
let recorded = [];
await context.exposeFunction('record', (/** @type {string} */ message) => { recorded.push(message); });
/** The frame's own script, with a page that writes down before it hands over. */
const RECORDING = (/** @type {string} */ own) => `globalThis.archyFake = (heard) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = (event) => { record(JSON.stringify([event.data, event.ports.length, event.origin])); heard(event.data); };
  parent.postMessage('archy:hello', location.origin, [port2]);
  return port1;
};
addEventListener('message', (event) => record(JSON.stringify(['by window', event.data, event.ports.length])));
${own}`;

/** Says yes to what is asked, as a person does. @param {Page} page */
async function yes(page) {
  await page.locator('#question-yes:not([aria-disabled])').waitFor();
  await page.locator('#question-yes').click();
  await page.locator('#done').filter({ hasText: 'Done' }).waitFor();
}

holds('over a whole turn with a question the frame hears no id, digest, tool, argument or secret', async () => {
  tap.changes.set(FRAME, withScript(RECORDING));
  recorded = [];
  const { page, chat } = await logIn(context, node);
  await chat.locator('#composer').fill('set the hostname to kitchen');
  await chat.locator('#composer').press('Enter');
  await dialog(page).waitFor();
  const { confirmations: [asked] } = await rpc(page, 'pending');
  await yes(page);
  // The frame that came after the question was told all of it anew.
  await chat.locator('.said').filter({ hasText: 'kitchen' }).waitFor();
  await chat.locator('.answer:not(:empty)').waitFor();
  const { turns: [turn] } = await rpc(page, 'history', { do: 'page', conversation: asked.conversation, most: 1 });
  const started = turn.events.find((/** @type {any} */ { event }) => event.type === 'tool-started').event;
  const [receipt] = turn.receipts;
  const csrf = await page.evaluate(() => localStorage.getItem('archy.csrf'));
  const cookies = (await context.cookies(node.origin)).map(({ value }) => value);
  const secrets = { id: asked.id, digest: asked.digest, text: asked.text, conversation: asked.conversation, turn: asked.turn, tool: started.tool, args: started.args,
    receiptArgs: receipt.args, csrf, ...Object.fromEntries(cookies.entries()) };
  for (const [name, value] of Object.entries(secrets)) same([name, typeof value, String(value).length > 3], [name, 'string', true], 'it is known');
  const heard = recorded.join('\n');
  const within = (/** @type {string} */ value) => [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value), btoa(encodeURIComponent(value))].some((form) => heard.includes(form));
  same(Object.entries(secrets).filter(([, value]) => within(String(value))).map(([name]) => name), []);
  // It hears what it needs, so the record is one.
  const types = new Set(recorded.flatMap((line) => [...line.matchAll(/"type":"([^"]+)"/g)].map(([, type]) => type)));
  same(['context:response', 'chat:event', 'said', 'answering', 'waiting', 'ended'].filter((type) => !types.has(type)), []);
  same(recorded.filter((line) => !line.endsWith(',0,""]')), [], 'no ports, and nothing beside the port');
  same(hostname(), 'kitchen');
  honest();
  await page.close();
});

holds('a link is a line with its whole address, and opens only by a press in the page', async () => {
  const { page } = await hostile(`${GREETS} globalThis.ask = (url) => port.postMessage({ type: 'open-link', url });`);
  const frame = await inside(page);
  const pages = context.pages().length;
  const refused = ['javascript:alert(1)', ' javascript:alert(1)', 'java\nscript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'http://user@host.example/', 'https://bank.example:x@evil.example/',
    'blob:https://a.example/1', 'view-source:https://a.example/', 'about:blank', 'mailto:a@b.example', 'ftp://a.example/', '/rpc', '//evil.example/', '', 'https://', 'chrome://settings'];
  for (const url of refused) {
    await page.evaluate(() => document.getElementById('link')?.remove());
    await frame.evaluate((it) => /** @type {any} */ (globalThis).ask(it), url);
    await page.locator('#link').waitFor();
    same(await page.locator('#link').innerText(), 'That is no link to the web.', url);
    same(await page.locator('#link button').count(), 0, url);
  }
  const long = `${outside.origin}/${'a'.repeat(20_000)}?q=end`;
  for (const [url, shown] of /** @type {[string, string][]} */ ([[long, long], ['https://bаnk.example/', 'https://xn--bnk-6cd.example/'], ['https://x.example/\u202egnp', 'https://x.example/%E2%80%AEgnp'], [`${outside.origin}/pressed`, `${outside.origin}/pressed`]])) {
    await page.evaluate(() => document.getElementById('link')?.remove());
    await frame.evaluate((it) => /** @type {any} */ (globalThis).ask(it), url);
    await page.locator('#link').waitFor();
    same(await page.locator('#link code').innerText(), shown);
  }
  same([context.pages().length, outside.paths], [pages, []], 'nothing opened');
  const opened = context.waitForEvent('page');
  await page.locator('#link').getByRole('button', { name: 'Open' }).click();
  const other = await opened;
  await until(() => outside.paths.includes('/pressed'), 'the link');
  same(outside.paths.filter((path) => path !== '/favicon.ico'), ['/pressed']);
  same(await other.evaluate(() => [window.opener, document.referrer]), [null, '']);
  await other.close();
  await page.close();
});

holds('a frame that takes the focus in a loop gets none of twelve keys while a question is open', async () => {
  recorded = [];
  const { page, chat } = await hostile(`${GREETS}
    addEventListener('keydown', ({ key }) => record('key ' + key));
    const field = document.createElement('input');
    document.body.append(field);
    setInterval(() => { window.focus(); field.focus(); }, 0);
    const again = new MessageChannel();
    again.port1.onmessage = () => { window.focus(); field.focus(); again.port2.postMessage(0); };
    again.port2.postMessage(0);`);
  await chat.locator('input').waitFor();
  // The thief is one: it takes a key from a button of the page.
  await until(async () => {
    await page.getByRole('button', { name: 'What is open' }).focus();
    await page.keyboard.press('z');
    return recorded.includes('key z');
  }, 'a key that the frame took');
  await askElsewhere(page, 'set the hostname to theft');
  await dialog(page).waitFor();
  const before = recorded.length;
  await page.evaluate(() => {
    const odd = /** @type {any} */ (globalThis);
    odd.keys = [];
    document.addEventListener('keydown', ({ key }) => odd.keys.push(key));
  });
  await page.locator('#question-digits').focus();
  await page.keyboard.type('abcdefghijkl', { delay: 20 });
  same(await page.evaluate(() => /** @type {any} */ (globalThis).keys.join('')), 'abcdefghijkl', 'the page has all of them');
  same(await page.evaluate(() => document.activeElement?.id), 'question-digits');
  await page.locator('#question-no').click();
  await chat.locator('input').waitFor();
  same(recorded.slice(before).filter((line) => /^key [a-l]$/.test(line)), [], 'keys that the frame had');
  same(hostname(), 'kitchen');
  honest();
  await page.close();
});

holds('an answer full of markup asks for nothing and makes only what the chat makes', async () => {
  const there = await startOutside('markup');
  const all = payloads((name) => `${there.origin}/${name}`);
  // In pieces that end anywhere, as a model's do.
  const text = `${all.join('\n\n')}\n\nThe end of it. [press](${there.origin}/pressed)`;
  const ollama = await startOllama([{ says: text.match(/[^]{1,400}/g) ?? [] }]);
  const own = await startNode(['--ollama', ollama.url, '--model', 'tiny:1b']);
  const fresh = await browser.newContext();
  /** @type {string[]} */
  const asked = [];
  const { page, chat } = await logIn(fresh, own);
  page.on('request', (request) => { if (request.url() !== `${own.origin}/rpc`) asked.push(request.url()); });
  await chat.locator('#composer').fill('tell me something odd');
  await chat.locator('#composer').press('Enter');
  await chat.locator('.answer').filter({ hasText: 'The end of it.' }).waitFor();
  await page.locator('#done').filter({ hasText: 'Nothing was changed.' }).waitFor();
  const made = await chat.locator('.answer').evaluate((answer) => {
    const elements = [...answer.querySelectorAll('*')];
    return { tags: [...new Set(elements.map(({ tagName }) => tagName))].sort(), attributes: [...new Set(elements.flatMap((one) => one.getAttributeNames()))].sort() };
  });
  same(made.tags.filter((tag) => !DRAWN.includes(tag)), [], 'elements that markdown.js does not make');
  same(DRAWN.filter((tag) => !made.tags.includes(tag)), [], 'it makes each of these, so the payloads were read');
  same(made.attributes.filter((name) => !ATTRIBUTES.includes(name)), []);
  same(asked, [], 'requests');
  // Whoever presses a link is asked first; then it is one, and comes after everything that was to come.
  await chat.getByRole('button', { name: 'press' }).last().click();
  const opened = fresh.waitForEvent('page');
  await page.locator('#link').getByRole('button', { name: 'Open' }).click();
  await (await opened).waitForLoadState();
  same(there.paths.filter((path) => path !== '/favicon.ico'), ['/pressed']);
  console.log(`     payloads ${all.length}, requests 0`);
  there.end();
  await fresh.close();
  same(await own.end(), 0);
  ollama.end();
});

await runAll();
await browser.close();
outside.end();
tap.end();
same(await node.end(), 0, 'the node ends as it should');
