// @ts-check
'use strict';
/**
 * A page that is none, for work on the chat without a node: open standalone.html. It knows three questions and answers
 * everything else with what was said.
 */
{
  /** @typedef {import('../page/messages.js').FromFrame} FromFrame */
  /** @typedef {import('../page/messages.js').ToFrame} ToFrame */
  /** @typedef {import('../page/messages.js').ChatEvent} ChatEvent */

  /** @type {Record<string, string>} */
  const ANSWERS = {
    'How much space is left?': 'The disk **data** has 212 GB free of 500 GB.\n\n| disk | free |\n|---|---|\n| data | 212 GB |\n| backup | 1.2 TB |\n',
    'Show me some Markdown': '# A heading\n\nText with `code`, *stress* and [a link](https://example.org/).\n\n1. one\n2. two\n\n- a\n- b\n\n```\nsome code\n```\n\n> a quote\n\n![no image](https://example.org/x.png) <img src=x>',
    'Which app should I restart?': 'Which one do you mean?',
  };
  let turn = 0;
  let stopped = false;

  Object.assign(globalThis, {
    /** @param {(message: ToFrame) => void} heard */
    archyFake: (heard) => ({
      /** @param {FromFrame} message */
      postMessage(message) {
        if (message.type === 'context:request') {
          heard({ type: 'context:response', context: { theme: 'system', open: ['system'], examples: Object.keys(ANSWERS), draft: '', turns: [] } });
        } else if (message.type === 'chat:request') {
          answer(message.text, heard);
        } else if (message.type === 'cancel') {
          stopped = true;
        } else if (message.type === 'open-link') {
          console.log('the page would ask about', message.url);
        }
      },
    }),
  });

  /** @param {string} text @param {(message: ToFrame) => void} heard */
  async function answer(text, heard) {
    turn += 1;
    stopped = false;
    const tell = (/** @type {ChatEvent} */ event) => heard({ type: 'chat:event', turn, event });
    tell({ type: 'said', text });
    tell({ type: 'answering', mind: 'model' });
    const choices = text === 'Which app should I restart?' ? ['hello', 'jellyfin'] : [];
    for (const word of (ANSWERS[text] ?? `You said: ${text}`).split(/(?<= )/)) {
      await new Promise((go) => { setTimeout(go, 80); });
      if (stopped) { tell({ type: 'ended', how: 'stopped', says: 'Stopped.', choices: [] }); return; }
      tell({ type: 'text', text: word });
    }
    tell({ type: 'ended', how: 'answered', says: '', choices });
  }
}
