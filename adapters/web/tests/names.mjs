// @ts-check
/**
 * A name server for the browser alone. No option of Chromium names one, so the browser is started with another
 * /etc/resolv.conf, in a mount namespace of its own (`unshare`), and the server listens on port 53 of a loopback address that
 * nobody else uses. Where a machine allows one of these not, names are counted in the browser's network log alone; the output
 * says so.
 */

import { createSocket } from 'node:dgram';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ADDRESS = '127.53.53.53';

/**
 * @typedef {object} Names
 * @property {string[]} asked Every name that was asked for.
 * @property {(program: string) => string} around A program that starts `program` with this name server.
 * @property {() => void} end
 */

/** @returns {Promise<Names | string>} Why there is none. */
export async function startNames() {
  const namespace = ['--map-root-user', '--mount'];
  if (spawnSync('unshare', [...namespace, 'true']).status !== 0) return 'no mount namespace for the browser';
  /** @type {string[]} */
  const asked = [];
  const socket = createSocket('udp4', (question, from) => {
    asked.push(nameIn(question));
    // There is no such name.
    const answer = Buffer.from(question);
    answer.writeUInt16BE(0x8183, 2);
    socket.send(answer, from.port, from.address);
  });
  try {
    await new Promise((ready, failed) => { socket.once('error', failed); socket.bind(53, ADDRESS, () => ready(undefined)); });
  } catch {
    return `port 53 of ${ADDRESS} is not ours to take`;
  }
  const place = mkdtempSync(join(tmpdir(), 'archy-names-'));
  const conf = join(place, 'resolv.conf');
  writeFileSync(conf, `nameserver ${ADDRESS}\n`);
  return {
    asked,
    around(program) {
      const start = join(place, 'start');
      writeFileSync(start, `#!/bin/sh\nexec unshare ${namespace.join(' ')} sh -c 'mount --bind ${conf} /etc/resolv.conf && exec "$@"' sh ${program} "$@"\n`);
      chmodSync(start, 0o700);
      return start;
    },
    end: () => { socket.close(); rmSync(place, { recursive: true, force: true }); },
  };
}

/** The name in a question's first entry. @param {Buffer} question */
function nameIn(question) {
  const labels = [];
  for (let at = 12; at < question.length;) {
    const length = question[at] ?? 0;
    if (length === 0) break;
    labels.push(question.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return labels.join('.').toLowerCase();
}
