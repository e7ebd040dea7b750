// @ts-check
/**
 * A tap between browser and node. The browser believes that it speaks to the node's own address (`browserArgs`); every request
 * is counted here, goes to the node as it is, and the node's real answer comes back, with all its headers. A test may change
 * an answer on its way: that is how a hostile script gets into the frame. (Playwright's own interception would answer in the
 * node's place and keep the browser's network out of it.)
 */

import { createServer, request as ask } from 'node:http';
import { listening } from './outside.mjs';

/** @typedef {{method: string, url: string, headers: import('node:http').IncomingHttpHeaders, status?: number}} Seen */
/** @typedef {{status: number, headers: Record<string, string | string[]>, body: string}} Answer */

/**
 * @typedef {object} Tap
 * @property {string[]} browserArgs
 * @property {Seen[]} seen Every request that reached the node's address.
 * @property {Map<string, (answer: Answer) => Answer>} changes By path.
 * @property {Map<string, Record<string, string>>} claims By path: headers that the node is told in the place of the browser's.
 * @property {Map<string, string>} plain Documents of the node's origin that are not the node's, without any headers.
 * @property {() => void} end
 */

/** @param {string} origin The node's. @returns {Promise<Tap>} */
export async function startTap(origin) {
  const { hostname, port, host } = new URL(origin);
  /** @type {Tap['seen']} */
  const seen = [];
  /** @type {Tap['changes']} */
  const changes = new Map();
  /** @type {Tap['claims']} */
  const claims = new Map();
  /** @type {Tap['plain']} */
  const plain = new Map();
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    /** @type {Seen} */
    const one = { method, url, headers };
    seen.push(one);
    const path = new URL(url, origin).pathname;
    const own = plain.get(path);
    if (own !== undefined) {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
      response.end(own);
      return;
    }
    const onward = ask({ hostname, port, method, path: url, headers: { ...headers, ...claims.get(path) } }, async (answer) => {
      one.status = answer.statusCode ?? 0;
      const change = changes.get(path);
      if (!change || answer.statusCode !== 200) {
        response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(response);
        return;
      }
      let body = '';
      for await (const some of answer.setEncoding('utf8')) body += some;
      const kept = /** @type {Record<string, string | string[]>} */ ({ ...answer.headers });
      const changed = change({ status: 200, headers: kept, body });
      delete changed.headers['content-length'];
      delete changed.headers['transfer-encoding'];
      response.writeHead(changed.status, changed.headers);
      response.end(changed.body);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  });
  server.on('upgrade', ({ method = '', url = '', headers }, socket) => {
    seen.push({ method, url, headers });
    socket.destroy();
  });
  const at = await listening(server);
  return {
    seen, changes, claims, plain,
    browserArgs: [`--host-resolver-rules=MAP ${host} 127.0.0.1:${at}`],
    end: () => { server.closeAllConnections(); server.close(); },
  };
}
