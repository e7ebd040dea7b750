// @ts-check
/** What the browser's own network log says that it did: every request, connection, packet and name, whoever asked for it. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** To look up an address that is a number asks nobody; a browser writes it down before it refuses to connect. */
const LOOKS_UP_A_NUMBER = /"host":"https?:\/\/[\d.]+:\d+"/;

/** Where its own end of a connection is: any number may be free there, also that of a listener of another kind. */
const OWN_END = /"(?:local|source)_address":"[^"]*"/g;

export function netlog() {
  const place = mkdtempSync(join(tmpdir(), 'archy-netlog-'));
  const file = join(place, 'netlog.json');
  return {
    browserArgs: [`--log-net-log=${file}`],
    /** How many lines of the log have each of these words; the log is whole when the browser has ended. @param {string[]} words */
    mentions(words) {
      const { events } = JSON.parse(readFileSync(file, 'utf8'));
      const lines = events.map((/** @type {object} */ event) => JSON.stringify(event).replace(OWN_END, '')).filter((/** @type {string} */ line) => !LOOKS_UP_A_NUMBER.test(line));
      return words.map((word) => lines.filter((/** @type {string} */ line) => line.includes(word)).length);
    },
    end: () => rmSync(place, { recursive: true, force: true }),
  };
}
