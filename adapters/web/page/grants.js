// @ts-check
import { button, make } from './dom.js';
import { call } from './node.js';

/** The ten, in the order in which the node lists them, and what each is about. @type {[string, string][]} */
const CATEGORIES = [
  ['apps', 'Apps, whether they run, and their logs'],
  ['system', 'The machine: disks, memory, load, and its settings'],
  ['network', 'Addresses, traffic and peers'],
  ['wallet', 'Balances. Nothing here can spend'],
  ['files', 'Files in the shared folder'],
  ['media', 'Music, films and podcasts'],
  ['search', 'Search over the node’s own sources'],
  ['ai-local', 'Which model answers, and where it runs'],
  ['notes', 'Your notes'],
  ['bitcoin', 'The Bitcoin node'],
];

/** What is open; everything that depends on it is told of each change, wherever it was made. */
export class Grants {
  /** @type {string[]} */ open = [];
  held = false;

  /** @param {(grants: Grants) => void} changed */
  constructor(changed) {
    this.changed = changed;
  }

  read() { return this.#ask({ do: 'read' }); }
  closeAll() { return this.#ask({ do: 'close-all' }); }
  /** @param {string} category @param {boolean} open */
  set(category, open) { return this.#ask({ do: open ? 'open' : 'close', category }); }

  /** @param {object} params */
  async #ask(params) {
    const { open, held } = await call('grants', params);
    const same = held === this.held && open.join() === this.open.join();
    this.open = open;
    this.held = held;
    if (!same) this.changed(this);
  }
}

/**
 * The panel with the ten switches.
 * @param {Grants} grants
 * @param {(error: unknown) => void} failed
 * @param {string} [wanted] The one that a request needs.
 */
export function grantsPanel(grants, failed, wanted) {
  const list = make('ul', { class: 'switches' });
  for (const [name, about] of CATEGORIES) {
    const box = make('input', { type: 'checkbox' });
    box.setAttribute('role', 'switch');
    box.id = `grant-${name}`;
    box.checked = grants.open.includes(name);
    box.setAttribute('aria-describedby', `about-${name}`);
    box.addEventListener('change', () => {
      // What is shown is what the node says, not what was pressed.
      grants.set(name, box.checked).catch(failed).finally(() => { box.checked = grants.open.includes(name); });
    });
    const label = make('label', { text: name });
    label.htmlFor = box.id;
    const line = make('li', {}, box, label, make('span', { text: about }));
    line.lastElementChild?.setAttribute('id', `about-${name}`);
    if (name === wanted) line.className = 'wanted';
    list.append(line);
  }
  const held = make('p', {
    class: 'warning',
    text: 'The audit was found damaged, or the database was set back. Everything counts as closed until you have looked, and typed on the node: archy-node audit acknowledge',
  });
  return make('div', {},
    ...(grants.held ? [held] : []),
    make('p', { text: 'What is closed, the assistant can neither see nor change. What is open, it may read; every change still waits for your yes.' }),
    list,
    button('Close everything', () => { grants.closeAll().catch(failed); }),
  );
}
