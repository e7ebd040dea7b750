// @ts-check
/**
 * A server that speaks like Ollama's /api, for answers that a test wants: chunked lines of JSON, the request without messages
 * that only loads the model, refusals as {"error"}. Its shapes are those of recorded replies.
 */

import { createServer } from 'node:http';

const CREATED = '2026-11-30T20:00:12.123456789Z';

/**
 * What it answers to a request with messages, in order; after the last one again the last.
 * @typedef {{says: string[], held?: Promise<void>} | {calls: [string, object][]}} Reply
 */

/** @param {Reply[]} replies */
export async function startOllama(replies) {
  /** @type {any[]} */
  const asked = [];
  const left = [...replies];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const some of request) text += some;
    const body = text === '' ? {} : JSON.parse(text);
    const details = { parent_model: '', format: 'gguf', family: 'qwen2', families: ['qwen2'], parameter_size: '1.2B', quantization_level: 'Q4_K_M' };
    const json = (/** @type {number} */ status, /** @type {object} */ what) => {
      response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
      response.end(JSON.stringify(what));
    };
    const path = new URL(request.url ?? '/', 'http://ollama').pathname;
    if (path === '/api/tags') {
      json(200, { models: [{ name: 'tiny:1b', model: 'tiny:1b', modified_at: CREATED, size: 1_300_000_000, digest: 'a'.repeat(64), details, capabilities: ['completion', 'tools'] }] });
    } else if (path === '/api/show') {
      json(200, { details, model_info: { 'general.architecture': 'qwen2', 'qwen2.context_length': 32768 }, capabilities: ['completion', 'tools'] });
    } else if (path === '/api/version') {
      json(200, { version: '0.30.2' });
    } else if (path === '/api/ps') {
      json(200, { models: [] });
    } else if (path === '/api/chat') {
      const line = (/** @type {object} */ more) => { response.write(`${JSON.stringify({ model: 'tiny:1b', created_at: CREATED, ...more })}\n`); };
      const end = (/** @type {string} */ reason) => {
        line({ message: { role: 'assistant', content: '' }, done: true, done_reason: reason, total_duration: 5e8, load_duration: 1e7, prompt_eval_count: 311, prompt_eval_duration: 2e8, eval_count: 42, eval_duration: 2e8 });
        response.end();
      };
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      if (!body.messages?.length) { line({ message: { role: 'assistant', content: '' }, done: true, done_reason: 'load' }); response.end(); return; }
      asked.push(body);
      const reply = left.length > 1 ? left.shift() : left[0];
      if (!reply) { response.end(); return; }
      if ('calls' in reply) {
        const calls = reply.calls.map(([name, args], index) => ({ id: `call_${index}`, function: { index, name, arguments: args } }));
        line({ message: { role: 'assistant', content: '', tool_calls: calls }, done: false });
        end('stop');
        return;
      }
      for (const content of reply.says) {
        line({ message: { role: 'assistant', content }, done: false });
        await new Promise((go) => { setTimeout(go, 10); });
      }
      // The rest when the test lets it go, or never where the node has gone away.
      await Promise.race([reply.held, new Promise((gone) => { response.once('close', () => gone(undefined)); })]);
      if (!response.destroyed) end('stop');
    } else {
      json(404, { error: 'not found' });
    }
  });
  await new Promise((ready) => { server.listen(0, '127.0.0.1', () => ready(undefined)); });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, asked, end: () => { server.closeAllConnections(); server.close(); } };
}
