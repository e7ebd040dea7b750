// @ts-check
/** A real node with a data directory of its own, and a browser. Both end with the test. */

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

/** The program under test; the test command says which. */
export const PROGRAM = process.env.ARCHY_NODE ?? '';
const CHROMIUM = process.env.ARCHY_CHROMIUM ?? '/usr/bin/chromium';

/** @typedef {{page: string, link: string, origin: string, data: string, does: (...words: string[]) => string, link_again: () => string, end: () => Promise<number | null>}} Node */

/** @param {string[]} [more] @param {{data?: string}} [of] @returns {Promise<Node>} */
export async function startNode(more = ['--no-model'], of = {}) {
  if (!PROGRAM) throw new Error('say in ARCHY_NODE which program is tested');
  const data = of.data ?? mkdtempSync(join(tmpdir(), 'archy-web-'));
  const child = spawn(PROGRAM, ['serve', '--port', '0', '--json', '--data', data, ...more], { stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (some) => { errors += some; });
  const lines = createInterface({ input: child.stdout });
  const first = await new Promise((got, failed) => {
    lines.once('line', got);
    child.once('exit', (code) => failed(new Error(`the node ended with ${code}: ${errors}`)));
  });
  const { page, link } = JSON.parse(first);
  const does = (/** @type {string[]} */ ...words) => {
    const ran = spawnSync(PROGRAM, [...words, '--data', data], { encoding: 'utf8' });
    if (ran.status !== 0) throw new Error(`${words.join(' ')}: ${ran.status} ${ran.stderr}`);
    return ran.stdout;
  };
  return {
    page, link, data, does,
    origin: new URL(page).origin,
    link_again: () => JSON.parse(does('link', '--json')).link,
    end: () => new Promise((ended) => {
      child.removeAllListeners('exit');
      child.once('exit', (code) => {
        if (of.data === undefined) {
          spawnSync(PROGRAM, ['down', '--data', data]);
          rmSync(data, { recursive: true, force: true });
        }
        ended(code);
      });
      child.kill('SIGINT');
    }),
  };
}

/** Chromium without its own calls to the world. @param {string[]} more */
const started = (more) => ({
  executablePath: CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync', ...more],
  // What a person's browser would stop must be stopped here too.
  ignoreDefaultArgs: ['--disable-popup-blocking'],
});

/** @param {import('playwright-core').BrowserContextOptions} [as] @param {string[]} [more] */
export async function startBrowser(as = {}, more = []) {
  const browser = await chromium.launch(started(more));
  const context = await browser.newContext(as);
  return { browser, context, version: browser.version() };
}

/** What pages said that something is wrong: blocked by a policy, or thrown and not caught. @type {string[]} */
export const wrong = [];

/**
 * The same with a profile of its own, as a person's has one: without, as in a private window, a browser leaves some things
 * undone (names are not looked up ahead, nor are connections opened).
 * @param {string[]} [more]
 * @param {(program: string) => string} [around] What starts the program, where it is not started by itself.
 */
export async function startProfile(more = [], around = (program) => program) {
  const context = await chromium.launchPersistentContext('', { ...started(more), executablePath: around(CHROMIUM) });
  return { context, version: context.browser()?.version() ?? 'of an unknown version' };
}

/** Opens the page, and logs in where this browser is not: links are few in a minute. @param {import('playwright-core').BrowserContext} context @param {Node} node */
export async function logIn(context, node, link = '') {
  const page = await context.newPage();
  page.on('console', (message) => {
    // A node that has gone, and one that says no, are part of a test.
    if (message.type() === 'error' && !message.text().includes('Failed to load resource')) wrong.push(message.text());
  });
  page.on('pageerror', (error) => wrong.push(String(error)));
  await page.goto(link === '' ? node.page : link);
  const [frame, door] = [page.locator('#frame iframe'), page.locator('#door-says')];
  await frame.or(door.filter({ hasText: /./ })).first().waitFor();
  if (await door.isVisible()) {
    if (link !== '') throw new Error(await door.innerText());
    await page.goto(node.link_again());
    await frame.waitFor().catch(async () => {
      const [says, notices] = [await door.innerText(), await page.locator('#notices').innerText()];
      throw new Error(`not logged in: ${page.url()} says "${says}" and "${notices}"`);
    });
  }
  return { page, chat: page.frameLocator('#frame iframe') };
}
