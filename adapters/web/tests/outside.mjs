// @ts-check
/**
 * Everything on this machine that is not the node and that a script could reach: a web server, and for each way that is no
 * request a listener of its own. Whatever arrives is counted.
 */

import { createSocket } from 'node:dgram';
import { createServer as createHttp } from 'node:http';
import { createServer as createTcp } from 'node:net';

/** Ways that end in a TCP connection, or in a UDP packet. */
const TCP = ['link-preconnect', 'rtc-turn-tcp'];
const UDP = ['rtc-stun', 'rtc-turn-udp-username'];

/** What a browser takes for what it asked for, so that a way goes on where it goes on. @type {Record<string, [string, string]>} */
const ANSWERS = {
  script: ['text/javascript', ''],
  style: ['text/css', ''],
  document: ['text/html', '<!doctype html><title>outside</title>'],
  iframe: ['text/html', '<!doctype html><title>outside</title>'],
};

/**
 * @typedef {object} Outside
 * @property {string} origin Of the web server.
 * @property {Record<string, number>} ports Of the listeners, by the way that they are for.
 * @property {(way: string) => string} name A host's name.
 * @property {() => string[]} hits `way:kind` of everything that arrived, each once, sorted: E a request, TCP, UDP.
 * @property {string[]} paths Of all requests, in order.
 * @property {() => void} end
 */

/**
 * @param {string} phase Lower-case letters: it stands in addresses and names.
 * @returns {Promise<Outside>}
 */
export async function startOutside(phase) {
  /** @type {Set<string>} */
  const hits = new Set();
  /** @type {string[]} */
  const paths = [];
  /** @type {(() => void)[]} */
  const ends = [];
  const heard = (/** @type {import('node:http').IncomingMessage} */ request) => {
    const path = request.url ?? '/';
    paths.push(path);
    // One browser's own convention has no path of ours.
    const way = path === '/.well-known/web-identity' ? 'fedcm' : decodeURIComponent(path.slice(1).split(/[/?#]/)[0] ?? '');
    hits.add(`${way}:E`);
  };
  const web = createHttp((request, response) => {
    heard(request);
    const [type, body] = ANSWERS[String(request.headers['sec-fetch-dest'])] ?? ['text/plain', ''];
    response.writeHead(200, { 'content-type': type, 'access-control-allow-origin': request.headers.origin ?? '*', 'access-control-allow-headers': '*', 'access-control-allow-credentials': 'true', 'cache-control': 'no-store' });
    response.end(body);
  });
  web.on('upgrade', (request, socket) => { heard(request); socket.destroy(); });
  const origin = `http://127.0.0.1:${await listening(web)}`;
  ends.push(() => { web.closeAllConnections(); web.close(); });

  /** @type {Record<string, number>} */
  const ports = {};
  for (const way of TCP) {
    const server = createTcp((socket) => { hits.add(`${way}:TCP`); socket.on('error', () => {}); socket.destroy(); });
    ports[way] = await listening(server);
    ends.push(() => server.close());
  }
  for (const way of UDP) {
    const socket = createSocket('udp4', () => { hits.add(`${way}:UDP`); });
    await new Promise((ready) => { socket.bind(0, '127.0.0.1', () => ready(undefined)); });
    ports[way] = socket.address().port;
    ends.push(() => socket.close());
  }
  return {
    origin, ports, paths,
    name: (way) => `${way}.${phase}.archy.test`,
    hits: () => [...hits].sort(),
    end: () => { for (const end of ends) end(); },
  };
}

/** @param {import('node:net').Server} server @returns {Promise<number>} The port. */
export async function listening(server) {
  await new Promise((ready) => { server.listen(0, '127.0.0.1', () => ready(undefined)); });
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}
