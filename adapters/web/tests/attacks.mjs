// @ts-check
/** What a hostile answer, a hostile frame, other tabs and bad moments can do to the page: a real node, a real browser. */

import { holds, runAll, same, until } from './checks.mjs';
import { logIn, startBrowser, startNode, wrong } from './node.mjs';
import { startOllama } from './ollama.mjs';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('playwright-core').FrameLocator} FrameLocator */

const node = await startNode(['--no-model']);
const { browser, context } = await startBrowser();

/** @param {FrameLocator} chat @param {string} text */
async function say(chat, text) {
  await chat.locator('#composer').fill(text);
  await chat.locator('#composer').press('Enter');
}
const dialog = (/** @type {Page} */ page) => page.locator('dialog#question');
/** @param {Page} page @param {string} method @param {object} params */
const rpc = (page, method, params = {}) => page.evaluate(async ([name, given]) => {
  const { call } = await import(new URL('node.js', document.baseURI).href);
  return call(name, given);
}, /** @type {[string, object]} */ ([method, params]));
const waiting = async (/** @type {Page} */ page) => (await rpc(page, 'pending')).confirmations.length;
const systemIsOpen = () => node.does('grants', 'open', 'system');
/** A node of its own, where this one has been asked as often as somebody may be in five minutes. */
async function another() {
  const other = await startNode(['--no-model']);
  other.does('grants', 'open', 'system');
  const fresh = await browser.newContext();
  const end = async () => { await fresh.close(); await other.end(); };
  return { ...await logIn(fresh, other, other.link), end };
}
const armed = (/** @type {Page} */ page) => page.locator('#question-yes:not([aria-disabled])').waitFor();
const receipt = (/** @type {Page} */ page, /** @type {string} */ text) => page.locator('#done').filter({ hasText: text }).waitFor();

// Answers.

holds('an answer of sixty thousand characters that no reader of Markdown likes is drawn at once', async () => {
  const hostile = ['[]('.repeat(20_000), '['.repeat(60_000), `[](${'a'.repeat(17)}`.repeat(3000), '*a `b **c '.repeat(6000),
    '[a](b '.repeat(10_000), 'https://a'.repeat(6000)];
  const ollama = await startOllama(hostile.map((says) => ({ says: [says] })));
  const own = await startNode(['--ollama', ollama.url, '--model', 'tiny:1b']);
  const fresh = await browser.newContext();
  const { page, chat } = await logIn(fresh, own, own.link);
  for (const text of hostile) {
    await page.getByRole('button', { name: 'Conversations' }).click();
    await page.getByRole('button', { name: 'New conversation' }).click();
    await say(chat, 'say something odd');
    await page.locator('#done').filter({ hasText: 'Nothing was changed.' }).waitFor({ timeout: 20_000 });
    const drawn = chat.locator('.answer');
    // What a frame that still reads cannot answer.
    await drawn.evaluate((element) => element.textContent?.length, undefined, { timeout: 5000 });
    const lost = await drawn.evaluate((element, start) => !element.textContent?.includes(start), text.slice(0, 3));
    same(lost, false, text.slice(0, 12));
  }
  await fresh.close();
  await own.end();
  ollama.end();
});

// Questions.

holds('Esc that is held closes no question without an answer to it', async () => {
  systemIsOpen();
  const { page, chat } = await logIn(context, node);
  await say(chat, 'set the hostname to esc-held');
  await dialog(page).waitFor();
  for (let i = 0; i < 6; i += 1) await page.keyboard.down('Escape');
  await page.keyboard.up('Escape');
  // The first press, which did not repeat, is a no; nothing that follows it is anything.
  await receipt(page, 'You said no');
  await page.locator('#frame iframe').waitFor();
  await say(chat, 'set the hostname to esc-held-before');
  await page.keyboard.down('Escape');
  await dialog(page).waitFor();
  // Held since before it was there.
  for (let i = 0; i < 6; i += 1) await page.keyboard.down('Escape');
  await page.keyboard.up('Escape');
  same([await dialog(page).isVisible(), await waiting(page)], [true, 1], 'it is still asked');
  await page.locator('#question-no').click();
  await page.locator('#frame iframe').waitFor();
  await page.close();
});

holds('whatever closes the dialog without an answer is a no, and the chat comes back', async () => {
  systemIsOpen();
  const { page, chat } = await logIn(context, node);
  await say(chat, 'set the hostname to closed-by-the-browser');
  await dialog(page).waitFor();
  await page.evaluate(() => /** @type {HTMLDialogElement} */ (document.getElementById('question')).close());
  await receipt(page, 'You said no');
  await page.locator('#frame iframe').waitFor();
  await page.close();
});

holds('after a key that was held, a pointer says yes as ever', async () => {
  systemIsOpen();
  const { page, chat } = await logIn(context, node);
  await say(chat, 'set the hostname to backspaced');
  await dialog(page).waitFor();
  await armed(page);
  await page.locator('#question-digits').focus();
  for (let i = 0; i < 4; i += 1) await page.keyboard.down('Backspace');
  await page.keyboard.up('Backspace');
  await page.locator('#question-yes').click();
  await receipt(page, 'Done');
  await page.close();
});

holds('a double click on no answers the question that was read, and not the next one', async () => {
  const { page, end } = await another();
  for (const name of ['firstname', 'lastname']) await rpc(page, 'chat', { text: `set the hostname to ${name}` });
  await until(async () => (await waiting(page)) === 2, 'two questions');
  await dialog(page).filter({ hasText: 'firstname' }).waitFor();
  await page.locator('#question-no').dblclick({ delay: 10 });
  await dialog(page).filter({ hasText: 'lastname' }).waitFor();
  await until(async () => (await waiting(page)) === 1, 'the second one to wait');
  await armed(page);
  same(await waiting(page), 1);
  await page.locator('#question-no').click();
  await page.locator('#frame iframe').waitFor();
  await end();
});

holds('a question that was just answered does not come back by a look that began before', async () => {
  const { page, chat, end } = await another();
  /** @type {(() => void)[]} */
  const held = [];
  let isSlow = false;
  await page.route('**/rpc', async (route) => {
    if (isSlow && route.request().postData()?.includes('assistant.pending')) {
      const answer = await route.fetch();
      await new Promise((go) => { held.push(() => go(undefined)); });
      await route.fulfill({ response: answer });
    } else { await route.continue(); }
  });
  await say(chat, 'set the hostname to looked');
  await dialog(page).waitFor();
  isSlow = true;
  await until(() => held.length === 1, 'a look');
  await page.evaluate(() => {
    const seen = /** @type {any} */ (globalThis);
    seen.asked = 0;
    document.addEventListener('aiui:tool-confirm-request', () => { seen.asked += 1; });
  });
  isSlow = false;
  await page.locator('#question-no').click();
  await page.locator('#frame iframe').waitFor();
  held.forEach((go) => go());
  await receipt(page, 'You said no');
  await page.locator('#frame iframe').waitFor();
  same(await page.evaluate(() => /** @type {any} */ (globalThis).asked), 0);
  await end();
});

holds('two tabs draw one question; the answer of one takes it from the other', async () => {
  systemIsOpen();
  const { page, chat } = await logIn(context, node);
  const { page: second } = await logIn(context, node);
  await say(chat, 'set the hostname to two-tabs');
  await page.bringToFront();
  await dialog(page).waitFor();
  await dialog(second).waitFor();
  await page.locator('#question-no').click();
  await dialog(second).waitFor({ state: 'hidden' });
  await second.locator('#frame iframe').waitFor();
  await page.close();
  await second.close();
});

holds('whoever is logged out while a question is on the screen sees no question and no chat', async () => {
  systemIsOpen();
  const { page, chat } = await logIn(await browser.newContext(), node, node.link_again());
  await say(chat, 'set the hostname to logged-out');
  await dialog(page).waitFor();
  await page.evaluate(async () => {
    const { headers } = await import(new URL('node.js', document.baseURI).href);
    await fetch('/session', { method: 'DELETE', headers: headers() });
  });
  await page.locator('#door-says').filter({ hasText: 'not logged in' }).waitFor();
  await dialog(page).waitFor({ state: 'hidden' });
  /** @type {string[]} */
  const asked = [];
  page.on('request', (request) => { asked.push(request.url()); });
  // Longer than it is until the next look.
  await page.evaluate(() => new Promise((go) => { setTimeout(go, 3500); }));
  same([await page.locator('iframe').count(), await page.locator('#notices').innerText(), asked], [0, '', []]);
  await page.context().close();
});

// Presses that were meant for something else.

holds('what comes up under a pointer is not pressed by the click that was on its way', async () => {
  node.does('grants', 'close', '--all');
  const { page, chat } = await logIn(context, node);
  await say(chat, 'how much space is left?');
  const opens = page.getByRole('button', { name: 'Open it and ask again' });
  await opens.waitFor();
  await opens.dispatchEvent('click');
  const grants = () => rpc(page, 'grants', { do: 'read' });
  same((await grants()).open, [], 'a click in the moment in which it came');
  await opens.click();
  await until(async () => (await grants()).open.includes('system'), 'it to be open');
  await page.close();
});

holds('a double click forgets no conversation', async () => {
  systemIsOpen();
  const { page, chat } = await logIn(context, node);
  await say(chat, 'remember the double click');
  await chat.locator('article').last().locator('.answer:not(:empty)').waitFor();
  await page.getByRole('button', { name: 'Conversations' }).click();
  const forget = page.locator('.conversations li').first().getByRole('button', { name: 'Forget' });
  await forget.dblclick({ delay: 10 });
  const found = await rpc(page, 'history', { do: 'search', words: 'remember the double click', most: 5 });
  same(found.found.length, 1);
  await page.close();
});

// What is said, and where it goes.

holds('a message that is too long is not lost', async () => {
  const { page, chat } = await logIn(context, node);
  const long = 'é'.repeat(70_000);
  await chat.locator('#composer').fill(long);
  await chat.locator('#composer').press('Enter');
  await chat.locator('#too-long').filter({ hasText: 'This is too long: 137 kB, and at most 8 kB can be said at once.' }).waitFor();
  same(await chat.locator('#composer').inputValue(), long, 'it still stands there');
  await chat.locator('#composer').fill('how much space is left?');
  same(await chat.locator('#too-long').innerText(), '');
  await page.close();
});

holds('who opens another conversation while a message is on its way sees and says nothing in the wrong one', async () => {
  systemIsOpen();
  const { page, chat } = await logIn(context, node);
  /** @type {() => void} */
  let go = () => {};
  await page.route('**/rpc', async (route) => {
    if (!route.request().postData()?.includes('assistant.chat')) { await route.continue(); return; }
    const answer = await route.fetch();
    await new Promise((done) => { go = () => done(undefined); });
    await route.fulfill({ response: answer });
  });
  await say(chat, 'how much space is left?');
  await until(() => go.name !== '' || String(go).includes('done'), 'the message');
  await page.getByRole('button', { name: 'Conversations' }).click();
  await page.getByRole('button', { name: 'New conversation' }).click();
  await chat.locator('#empty').waitFor();
  go();
  await until(async () => (await rpc(page, 'history', { do: 'list', most: 1 })).conversations.length === 1, 'it to be said');
  await page.unroute('**/rpc');
  await say(chat, 'is this a new one?');
  await chat.locator('.answer:not(:empty)').first().waitFor();
  same(await chat.locator('article').count(), 1);
  const { found } = await rpc(page, 'history', { do: 'search', words: 'is this a new one', most: 1 });
  const { turns } = await rpc(page, 'history', { do: 'page', conversation: found[0].conversation, most: 9 });
  same(turns.map((/** @type {any} */ turn) => turn.said), ['is this a new one?']);
  await page.close();
});

holds('a conversation that was forgotten in another tab is begun anew by what is said next', async () => {
  systemIsOpen();
  const { page, chat } = await logIn(context, node);
  await say(chat, 'how much space is left?');
  await chat.locator('.answer:not(:empty)').waitFor();
  const [{ id }] = (await rpc(page, 'history', { do: 'list', most: 1 })).conversations;
  await rpc(page, 'history', { do: 'forget', conversation: id });
  await say(chat, 'and how much is used?');
  await chat.locator('article').last().locator('.answer:not(:empty)').waitFor();
  await say(chat, 'how much space is left, again?');
  await chat.locator('article').last().locator('.answer:not(:empty)').waitFor();
  same(await chat.locator('article').last().locator('.end.failed').count(), 0);
  await page.close();
});

holds('a page whose kept conversation cannot be shown is a page all the same', async () => {
  const { page } = await logIn(context, node);
  await page.evaluate(() => sessionStorage.setItem('archy.conversation', 'nonsense'));
  await page.reload();
  await page.locator('#frame iframe').waitFor();
  await page.close();
});

// Storage, links.

holds('a browser whose storage is full is told so, and not that the node is gone', async () => {
  const fresh = await browser.newContext();
  const page = await fresh.newPage();
  await page.goto(node.page);
  await page.evaluate(() => { for (let size = 5_000_000; size > 1; size = Math.floor(size / 2)) try { localStorage.setItem(`f${size}`, 'x'.repeat(size)); } catch { /* That much does not fit. */ } });
  await page.goto(node.link_again());
  await page.locator('#frame iframe').or(page.locator('#door-says').filter({ hasText: 'keep' })).first().waitFor();
  await fresh.close();
});

holds('what was dictated stays, and the theme changes, also where the storage is full', async () => {
  const fresh = await browser.newContext();
  await fresh.addInitScript(() => {
    class Hears {
      start() { this.onresult({ results: [[{ transcript: 'buy milk' }]] }); this.onend(); }
      onresult(/** @type {unknown} */ _) {}
      onend() {}
    }
    Object.assign(globalThis, { SpeechRecognition: Hears, webkitSpeechRecognition: Hears });
  });
  const { page, chat } = await logIn(fresh, node, node.link_again());
  await page.evaluate(() => {
    for (const store of [localStorage, sessionStorage]) {
      for (let size = 5_000_000; size > 0; size = Math.floor(size / 2)) try { store.setItem(`f${size}`, 'x'.repeat(size)); } catch { /* That much does not fit. */ }
    }
  });
  await page.getByRole('button', { name: 'Dictate' }).click();
  await until(async () => (await chat.locator('#composer').inputValue()) === 'buy milk', 'what was heard');
  await page.locator('#theme').click();
  await until(() => chat.locator('html[data-theme="dark"]').isVisible(), 'the frame to be drawn anew');
  same(await chat.locator('#composer').inputValue(), 'buy milk');
  await fresh.close();
});

holds('a link opens also while somebody tries out links', async () => {
  const fresh = await browser.newContext();
  const page = await fresh.newPage();
  await page.goto(node.page);
  const link = node.link_again();
  const last = await page.evaluate(async () => {
    let status = 0;
    for (let i = 0; i < 40 && status !== 429; i += 1) {
      ({ status } = await fetch('/session', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"once":"guess"}' }));
    }
    return status;
  });
  same(last, 429);
  const other = await fresh.newPage();
  await other.goto(link);
  await other.locator('#frame iframe').waitFor({ timeout: 5000 });
  await fresh.close();
});

holds('two nodes of one machine are open in one browser', async () => {
  const other = await startNode(['--no-model']);
  const fresh = await browser.newContext();
  const { page } = await logIn(fresh, node, node.link_again());
  const { page: second } = await logIn(fresh, other, other.link);
  await page.reload();
  await page.locator('#frame iframe').waitFor({ timeout: 5000 });
  await second.reload();
  await second.locator('#frame iframe').waitFor({ timeout: 5000 });
  await fresh.close();
  await other.end();
});

holds('no page said that something was blocked or thrown', async () => { same(wrong, []); });

await runAll();
await browser.close();
await node.end();
