// @ts-check
/** The owner's page as a person uses it: a real node, a real browser. Screenshots go to ARCHY_SCREENSHOTS. */

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { devices } from 'playwright-core';
import { askElsewhere, rpc } from './door.mjs';
import { holds, runAll, same, until } from './checks.mjs';
import { axe } from './axe.mjs';
import { logIn, startBrowser, startNode, wrong } from './node.mjs';
import { startOllama } from './ollama.mjs';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('playwright-core').FrameLocator} FrameLocator */

const SHOTS = process.env.ARCHY_SCREENSHOTS ?? 'target/screenshots';
mkdirSync(SHOTS, { recursive: true });
const shot = (/** @type {Page} */ page, /** @type {string} */ name) => page.screenshot({ path: join(SHOTS, `${name}.png`) });

const node = await startNode(['--no-model']);
const { browser, context, version } = await startBrowser();
console.log(`measured in Chromium ${version}; other browsers were not`);

/** @param {FrameLocator} chat @param {string} text */
async function say(chat, text) {
  await chat.locator('#composer').fill(text);
  await chat.locator('#composer').press('Enter');
}
/** The last answer, once it says this. @param {FrameLocator} chat @param {string | RegExp} text */
const answered = (chat, text) => chat.locator('article').last().locator('.answer').filter({ hasText: text }).waitFor();
const dialog = (/** @type {Page} */ page) => page.locator('dialog#question');
const hostname = () => {
  try {
    return /hostname = "(.*)"/.exec(readFileSync(join(node.data, 'settings.toml'), 'utf8'))?.[1];
  } catch { return undefined; }
};
/** So long that an answer counts. @param {Page} page */
const armed = (page) => page.locator('#question-yes:not([aria-disabled])').waitFor();

holds('without a link there is a door, and nothing of the chat', async () => {
  const page = await context.newPage();
  await page.goto(node.page);
  await page.locator('#door-says').filter({ hasText: 'not logged in' }).waitFor();
  same(await page.locator('iframe').count(), 0);
  await shot(page, 'door');
  same(await axe(page), []);
  await page.close();
});

holds('a link works once, and leaves the address at once', async () => {
  const { page } = await logIn(context, node, node.link);
  same(page.url(), node.page);
  await page.close();
  const other = await browser.newContext();
  const again = await other.newPage();
  await again.goto(node.link);
  await again.locator('#door-says').filter({ hasText: 'has been used' }).waitFor();
  await other.close();
});

/** As most checks need it. */
const systemIsOpen = () => node.does('grants', 'open', 'system');

holds('an empty chat teaches; what is closed is asked for in the page and opened there', async () => {
  node.does('grants', 'close', '--all');
  const { page, chat } = await logIn(context, node);
  same(await chat.locator('#empty li').count(), 3);
  await shot(page, 'empty');
  await chat.getByRole('button', { name: 'How much space is left?' }).click();
  const offer = page.getByRole('button', { name: 'Open it and ask again' });
  await offer.waitFor();
  await page.reload();
  await offer.click();
  await answered(chat, /free/i);
  await page.locator('#answering').filter({ hasText: 'fixed rules, on this node · Nothing left the node' }).waitFor();
  same(await page.locator('#done').innerText(), 'Nothing was changed.');
  await shot(page, 'chat');
  same(await axe(page), []);
  await page.close();
});

holds('a question is asked in the page, with the frame gone, and a pointer says yes', async () => {
  systemIsOpen();
  const { page, chat } = await logIn(context, node);
  await say(chat, 'set the hostname to kitchen');
  await dialog(page).waitFor();
  same(await page.locator('iframe').count(), 0, 'the frame is out of the page');
  same(await page.evaluate(() => document.activeElement?.id), 'question-title', 'the heading has the keyboard');
  const text = await page.locator('#question-text').innerText();
  same([text.includes('hostname'), text.includes('kitchen')], [true, true], text);
  // A double click that was meant for something else, and keys that were.
  await page.locator('#question-yes').click({ clickCount: 2, delay: 5, force: true });
  await page.keyboard.press('Enter');
  await page.keyboard.press('Space');
  same(await dialog(page).isVisible(), true, 'nothing of that is a yes');
  await armed(page);
  await shot(page, 'confirmation');
  same(await axe(page), []);
  await page.locator('#question-yes').click();
  await page.locator('#done').filter({ hasText: 'Done' }).waitFor();
  same(hostname(), 'kitchen');
  await chat.locator('article').last().locator('.said').filter({ hasText: 'set the hostname' }).waitFor();
  await chat.locator('article').last().locator('.answer:not(:empty)').waitFor();
  await shot(page, 'receipt');
  await page.close();
});

holds('the keyboard says yes with the two digits and then the button, and with nothing else', async () => {
  systemIsOpen();
  const before = hostname();
  const { page, chat } = await logIn(context, node);
  await say(chat, 'set the hostname to cellar');
  await dialog(page).waitFor();
  await armed(page);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  same(await page.evaluate(() => document.activeElement?.id), 'question-yes');
  await page.keyboard.press('Enter');
  same(await page.evaluate(() => document.activeElement?.id), 'question-digits', 'Enter alone asks for the digits');
  const pair = await page.locator('#question-asks').innerText();
  await page.keyboard.type(pair === '10' ? '11' : '10');
  await page.keyboard.press('Enter');
  await page.locator('#question-yes').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Space');
  same([await dialog(page).isVisible(), hostname()], [true, before], 'other digits are none');
  await page.locator('#question-digits').fill(pair);
  await page.locator('#question-digits').press('Enter');
  same(await dialog(page).isVisible(), true, 'Enter in the field is none');
  // A key that is held down repeats itself.
  await page.locator('#question-yes').focus();
  await page.evaluate(() => document.getElementById('question-yes')?.dispatchEvent(new MouseEvent('click', { bubbles: true })));
  same(await dialog(page).isVisible(), true, 'a click that a script made is none');
  await page.keyboard.press('Enter');
  await page.locator('#done').filter({ hasText: 'Done' }).waitFor();
  same(hostname(), 'cellar');
  await page.close();
});

holds('a key that is held never says yes, not even with the digits typed', async () => {
  systemIsOpen();
  const before = hostname();
  const { page, chat } = await logIn(context, node);
  await say(chat, 'set the hostname to attic');
  await dialog(page).waitFor();
  await armed(page);
  await page.locator('#question-digits').fill(await page.locator('#question-asks').innerText());
  await page.keyboard.down('Enter');
  await page.locator('#question-yes').focus();
  // As the keyboard repeats it.
  for (let i = 0; i < 5; i += 1) await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  same([await dialog(page).isVisible(), hostname()], [true, before]);
  await page.keyboard.press('Escape');
  await page.locator('#done').filter({ hasText: 'You said no' }).waitFor();
  same(hostname(), before);
  await page.close();
});

holds('no is no, by the button too', async () => {
  systemIsOpen();
  const before = hostname();
  const { page, chat } = await logIn(context, node);
  await say(chat, 'set the hostname to garden');
  await dialog(page).waitFor();
  await page.locator('#question-no').click();
  await page.locator('#done').filter({ hasText: 'You said no' }).waitFor();
  same(hostname(), before);
  await page.close();
});

holds('two questions wait and are asked one after the other', async () => {
  systemIsOpen();
  const { page } = await logIn(context, node);
  await askElsewhere(page, 'set the hostname to oak');
  await askElsewhere(page, 'set the hostname to elm');
  await page.locator('#question-text').filter({ hasText: 'oak' }).waitFor();
  await page.locator('#question-no').click();
  await page.locator('#question-text').filter({ hasText: 'elm' }).waitFor();
  await page.locator('#question-no').click();
  await page.locator('#frame iframe').waitFor();
  await until(async () => (await rpc(page, 'pending')).confirmations.length === 0, 'nothing to wait');
  await page.close();
});

holds('a category that is closed while its question waits takes the question back', async () => {
  systemIsOpen();
  const before = hostname();
  const { page } = await logIn(context, node);
  await askElsewhere(page, 'set the hostname to nowhere');
  await dialog(page).waitFor();
  node.does('grants', 'close', 'system');
  await dialog(page).waitFor({ state: 'hidden' });
  await page.locator('#frame iframe').waitFor();
  await page.locator('#notices').filter({ hasText: 'The question was taken back' }).waitFor();
  same(hostname(), before);
  node.does('grants', 'open', 'system');
  await page.close();
});

holds('nothing opens over somebody who types; what they typed is there afterwards', async () => {
  systemIsOpen();
  const { page, chat } = await logIn(context, node);
  await chat.locator('#composer').pressSequentially('how much');
  const asking = askElsewhere(page, 'set the hostname to busy');
  // Typing goes on until the badge is there, as a person's would.
  await until(async () => {
    await chat.locator('#composer').pressSequentially('.');
    return page.locator('#questions').isVisible();
  }, 'the badge');
  await asking;
  same(await dialog(page).isVisible(), false);
  await shot(page, 'badge');
  const typed = await chat.locator('#composer').inputValue();
  await page.locator('#questions').click();
  await dialog(page).waitFor();
  await page.locator('#question-no').click();
  await until(async () => (await chat.locator('#composer').inputValue()) === typed, 'what was typed');
  await page.close();
});

holds('the ten switches say what the node says, also of a change elsewhere', async () => {
  const { page } = await logIn(context, node);
  await page.getByRole('button', { name: 'What is open' }).click();
  same(await page.getByRole('switch').count(), 10);
  same(await page.getByRole('switch', { name: 'notes' }).isChecked(), false);
  await page.getByRole('switch', { name: 'notes' }).click();
  await until(() => node.does('grants', '--json').includes('notes'), 'notes to be open');
  same(await page.getByRole('switch', { name: 'notes' }).isChecked(), true);
  await shot(page, 'grants');
  same(await axe(page), []);
  node.does('grants', 'close', 'notes');
  await until(async () => !(await page.getByRole('switch', { name: 'notes' }).isChecked()), 'the switch to follow');
  await page.close();
});

holds('earlier conversations can be found, exported and forgotten', async () => {
  systemIsOpen();
  const { page, chat } = await logIn(context, node);
  await say(chat, 'is there a kitchen sink?');
  await chat.locator('article').last().locator('.answer:not(:empty)').waitFor();
  await page.getByRole('button', { name: 'Conversations' }).click();
  await page.locator('.conversations li').first().waitFor();
  await page.getByLabel('Search in what was said').fill('kitchen sink');
  await page.getByLabel('Search in what was said').press('Enter');
  await until(async () => (await page.locator('.conversations li').count()) === 1, 'one conversation');
  await shot(page, 'conversations');
  same(await axe(page), []);
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export' }).click()]);
  const exported = JSON.parse(readFileSync(await download.path(), 'utf8'));
  same(exported.turns[0].said, 'is there a kitchen sink?');
  await page.locator('.conversations .title').click();
  await chat.locator('.said').filter({ hasText: 'kitchen sink' }).waitFor();
  await page.getByRole('button', { name: 'Conversations' }).click();
  await page.getByLabel('Search in what was said').fill('kitchen sink');
  await page.getByLabel('Search in what was said').press('Enter');
  await until(async () => (await page.locator('.conversations li').count()) === 1, 'one conversation');
  await page.getByRole('button', { name: 'Forget' }).click();
  await page.getByRole('button', { name: 'Really forget?' }).click();
  await until(async () => (await page.locator('.conversations li').count()) === 0, 'none');
  await chat.locator('#empty').waitFor();
  await page.close();
});

holds('the audit is shown and verified, and privacy says who answered', async () => {
  systemIsOpen();
  const { page, chat } = await logIn(context, node);
  await say(chat, 'how much space is left?');
  await answered(chat, /free/i);
  await page.getByRole('button', { name: 'Privacy' }).click();
  await page.locator('#panel').filter({ hasText: 'Nothing left your own machines.' }).waitFor();
  await shot(page, 'privacy');
  same(await axe(page), []);
  await page.getByRole('button', { name: 'Audit' }).click();
  await page.getByRole('button', { name: 'Verify every line' }).click();
  await page.locator('#panel').filter({ hasText: 'Every line fits' }).waitFor();
  await page.locator('td').filter({ hasText: 'grant-opened' }).first().waitFor();
  await shot(page, 'audit');
  same(await axe(page), []);
  await page.close();
});

holds('the theme of this browser is changed by saying so, and the node’s is not', async () => {
  const { page, chat } = await logIn(context, node);
  await say(chat, 'make the theme dark');
  await until(() => page.evaluate(() => document.documentElement.dataset.theme === 'dark'), 'the dark theme');
  await chat.locator('html[data-theme="dark"]').waitFor();
  await answered(chat, /dark/i);
  same(node.does('pending', '--json').includes('theme'), false);
  await shot(page, 'dark');
  same(await axe(page), []);
  await say(chat, 'show me the audit');
  await page.locator('#panel-title').filter({ hasText: 'Audit' }).waitFor();
  await page.evaluate(() => localStorage.removeItem('archy.theme'));
  await page.close();
});

holds('whoever logs out is out, in every tab, and the chat is gone', async () => {
  const other = await browser.newContext();
  const { page } = await logIn(other, node);
  const second = await other.newPage();
  await second.goto(node.page);
  await second.locator('#frame iframe').waitFor();
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.locator('#door-says').filter({ hasText: 'not logged in' }).waitFor();
  await second.locator('#door-says').filter({ hasText: 'not logged in' }).waitFor();
  same(await second.locator('iframe').count(), 0);
  await other.close();
});

holds('on a phone everything is there, and nothing runs over the edge', async () => {
  systemIsOpen();
  const phone = await browser.newContext({ ...devices['Pixel 5'] });
  const { page, chat } = await logIn(phone, node);
  await say(chat, 'how much space is left?');
  await answered(chat, /free/i);
  const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
  same(await fits(), true);
  await shot(page, 'phone');
  await page.getByRole('button', { name: 'What is open' }).click();
  await page.getByRole('switch').first().waitFor();
  same([await fits(), await page.locator('#chat').isVisible()], [true, false]);
  await shot(page, 'phone-grants');
  same(await axe(page), []);
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await say(chat, 'set the hostname to pocket');
  await dialog(page).waitFor();
  await armed(page);
  same(await fits(), true);
  await shot(page, 'phone-confirmation');
  await page.locator('#question-yes').tap();
  await page.locator('#done').filter({ hasText: 'Done' }).waitFor();
  same(hostname(), 'pocket');
  await phone.close();
});

// With a model that a test holds in its hand.

holds('a model’s words stream; a reload in the middle shows what came and what comes', async () => {
  let go = () => {};
  const held = new Promise((done) => { go = () => done(undefined); });
  const ollama = await startOllama([{ says: ['One ', '**two** ', 'three'], held: /** @type {Promise<void>} */ (held) }]);
  const own = await startNode(['--ollama', ollama.url, '--model', 'tiny:1b']);
  const fresh = await browser.newContext();
  const { page, chat } = await logIn(fresh, own, own.link);
  await say(chat, 'count for me please');
  await answered(chat, 'One two three');
  same(await chat.locator('.answer strong').innerText(), 'two');
  await chat.getByRole('button', { name: 'Stop' }).waitFor();
  await page.reload();
  await page.locator('#frame iframe').waitFor();
  await answered(chat, 'One two three');
  same(await chat.locator('.said').innerText(), 'count for me please');
  await chat.getByRole('button', { name: 'Stop' }).waitFor();
  go();
  await page.locator('#done').filter({ hasText: 'Nothing was changed.' }).waitFor();
  await page.locator('#answering').filter({ hasText: 'tiny:1b' }).waitFor();
  await shot(page, 'model');
  await fresh.close();
  same(await own.end(), 0);
  ollama.end();
});

holds('stop ends a turn at once, and what came stays; a model that is silent is said to load', async () => {
  const never = /** @type {Promise<void>} */ (new Promise(() => {}));
  const ollama = await startOllama([{ says: ['Something long'], held: never }, { says: [], held: never }]);
  const own = await startNode(['--ollama', ollama.url, '--model', 'tiny:1b']);
  const fresh = await browser.newContext();
  const { page, chat } = await logIn(fresh, own, own.link);
  await say(chat, 'tell me a story');
  await answered(chat, 'Something long');
  await chat.getByRole('button', { name: 'Stop' }).click();
  await chat.locator('.end').filter({ hasText: 'Stopped.' }).waitFor();
  await answered(chat, 'Something long');
  await say(chat, 'tell me another story');
  await chat.locator('.state').filter({ hasText: 'still getting ready' }).waitFor();
  await shot(page, 'loading');
  await chat.getByRole('button', { name: 'Stop' }).click();
  await until(async () => (await chat.locator('.end').count()) === 2, 'the second end');
  await fresh.close();
  same(await own.end(), 0);
  ollama.end();
});

holds('a model that says it did something did nothing: the node’s line says so', async () => {
  const ollama = await startOllama([{ says: ['Done! I have restarted everything.'] }]);
  const own = await startNode(['--ollama', ollama.url, '--model', 'tiny:1b']);
  const fresh = await browser.newContext();
  const { page, chat } = await logIn(fresh, own, own.link);
  await say(chat, 'tidy up a little');
  await answered(chat, 'I have restarted everything');
  await page.locator('#done').filter({ hasText: 'Nothing was changed.' }).waitFor();
  await fresh.close();
  await own.end();
  ollama.end();
});

holds('nobody answers in time, and nothing is done', async () => {
  const own = await startNode(['--no-model', '--decide-within', '30']);
  own.does('grants', 'open', 'system');
  const fresh = await browser.newContext();
  const { page, chat } = await logIn(fresh, own, own.link);
  await say(chat, 'set the hostname to late');
  await dialog(page).waitFor();
  await dialog(page).waitFor({ state: 'hidden', timeout: 60_000 });
  await page.locator('#done').filter({ hasText: 'Nobody answered in time' }).waitFor();
  await fresh.close();
  await own.end();
});

holds('a node that has gone is said to be gone, and a page finds it again', async () => {
  const own = await startNode(['--no-model']);
  const fresh = await browser.newContext();
  const { chat } = await logIn(fresh, own, own.link);
  await own.end();
  await say(chat, 'how much space is left?');
  await chat.locator('.end.failed').filter({ hasText: 'does not answer' }).waitFor();
  await fresh.close();
});

holds('no page said that something was blocked or thrown', async () => { same(wrong, []); });

await runAll();
await browser.close();
same(await node.end(), 0, 'the node ends as it should');
