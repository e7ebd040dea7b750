// @ts-check
import { armedButton, button, make, slowButton, when } from './dom.js';
import { call } from './node.js';

/** @typedef {import('./conversation.js').Conversation} Conversation */
/** @typedef {import('./wire.js').Summary} Summary */

/**
 * The panel with earlier conversations.
 * @param {Conversation} conversation
 * @param {(error: unknown) => void} failed
 * @param {() => void} opened
 */
export function conversationsPanel(conversation, failed, opened) {
  const list = make('ul', { class: 'conversations' });
  const more = slowButton('Older', page, failed);
  more.hidden = true;
  const says = make('p', { text: '' });
  says.setAttribute('role', 'status');
  /** @type {string | undefined} */
  let before;

  /** @param {string} id */
  const open = (id) => { conversation.open(id).then(opened, failed); };

  /** @param {string} id @param {string} title @param {string} about */
  function line(id, title, about) {
    // Asked twice, because it cannot be undone.
    const forget = button('Forget', () => {
      const sure = armedButton('Really forget?', () => {
        call('history', { do: 'forget', conversation: id }).then(() => {
          if (conversation.id === id) conversation.begin();
          entry.remove();
        }, failed);
      });
      forget.replaceWith(sure);
    });
    const entry = make('li', {},
      make('button', { class: 'title', type: 'button', text: title, on: () => open(id) }),
      make('span', { class: 'about', text: about }),
      button('Export', () => { save(id).catch(failed); }),
      forget);
    return entry;
  }

  async function page() {
    const { conversations, older } = await call('history', { do: 'list', ...(before === undefined ? {} : { before }) });
    for (const { id, title, owner, last } of /** @type {Summary[]} */ (conversations)) {
      list.append(line(id, title, owner === 'owner' ? when(last) : `${when(last)}, ${owner}`));
    }
    before = older;
    more.hidden = older === undefined;
    says.textContent = list.childElementCount === 0 ? 'There is none yet.' : '';
  }
  /** @param {string} words */
  async function search(words) {
    const { found } = await call('history', { do: 'search', words, most: 20 });
    list.replaceChildren(...found.map((/** @type {any} */ { conversation: id, turn }) => line(id, turn.said, when(turn.at))));
    more.hidden = true;
    says.textContent = found.length === 0 ? `Nothing was said with “${words}”.` : '';
  }

  const words = make('input', { type: 'search', label: 'Search in what was said' });
  words.placeholder = 'Search';
  words.addEventListener('change', () => {
    if (words.value.trim() !== '') { search(words.value).catch(failed); return; }
    before = undefined;
    list.replaceChildren();
    page().catch(failed);
  });
  page().catch(failed);
  return make('div', {}, button('New conversation', () => { conversation.begin(); opened(); }), words, says, list, more);
}

/** @param {string} id */
async function save(id) {
  const exported = await call('history', { do: 'export', conversation: id });
  const link = make('a');
  link.href = URL.createObjectURL(new Blob([JSON.stringify(exported, null, 2)], { type: 'application/json' }));
  link.download = `conversation-${id}.json`;
  link.click();
  // Some browsers read it only after the click has ended.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
