// @ts-check
'use strict';
/**
 * Just as much Markdown as an answer needs, drawn as elements of our own making. Nothing in it is ever read as HTML, nothing
 * is fetched, and a link goes nowhere by itself.
 */

/**
 * One block of a text: what it is, and its own lines.
 * @typedef {{kind: 'text' | 'code' | 'list' | 'numbers' | 'heading' | 'quote' | 'table', source: string}} Block
 */

const FENCE = /^ {0,3}(```+|~~~+)/;
const ITEM = /^\s{0,8}[-*+] +/;
const NUMBER = /^\s{0,8}\d{1,9}[.)] +/;
const HEADING = /^ {0,3}#{1,6} +/;
const QUOTE = /^ {0,3}> ?/;
const ROW = /^ {0,3}\|.*\|\s*$/;

/**
 * Splits a text into blocks. More text at the end changes at most the last block and adds others, so that what stands
 * already need not be drawn again.
 * @param {string} text
 * @returns {Block[]}
 */
function blocks(text) {
  /** @type {Block[]} */
  const found = [];
  let fence = '';
  let isOpen = false;
  for (const line of text.split('\n')) {
    const last = found.at(-1);
    if (fence !== '' && last) {
      last.source += `\n${line}`;
      if (line.trim() === fence) { fence = ''; isOpen = false; }
      continue;
    }
    const opens = FENCE.exec(line);
    if (opens) {
      fence = opens[1] ?? '';
      found.push({ kind: 'code', source: line });
      continue;
    }
    if (line.trim() === '') { isOpen = false; continue; }
    const kind = HEADING.test(line) ? 'heading' : QUOTE.test(line) ? 'quote' : ROW.test(line) ? 'table'
      : ITEM.test(line) ? 'list' : NUMBER.test(line) ? 'numbers' : 'text';
    const goesOn = isOpen && last && (last.kind === kind || kind === 'text' && last.kind !== 'table') && kind !== 'heading';
    if (goesOn && last) last.source += `\n${line}`;
    else found.push({ kind, source: line });
    isOpen = kind !== 'heading';
  }
  return found;
}

/** @param {Block} block @param {(url: string) => void} openLink @returns {HTMLElement} */
function drawBlock({ kind, source }, openLink) {
  const lines = source.split('\n');
  switch (kind) {
    case 'code': {
      const isClosed = lines.length > 1 && FENCE.test(lines.at(-1) ?? '');
      const code = element('code', lines.slice(1, isClosed ? -1 : undefined).join('\n'));
      const pre = element('pre', '', code);
      pre.tabIndex = 0;
      return pre;
    }
    case 'heading':
      return inline(element('h3', ''), source.replace(HEADING, ''), openLink);
    case 'quote':
      return inline(element('blockquote', ''), lines.map((line) => line.replace(QUOTE, '')).join('\n'), openLink);
    case 'list':
      return items(element('ul', ''), lines, ITEM, openLink);
    case 'numbers': {
      const list = element('ol', '');
      list.setAttribute('start', String(parseInt(source.trim(), 10)));
      return items(list, lines, NUMBER, openLink);
    }
    case 'table':
      return table(lines, openLink);
    default:
      return inline(element('p', ''), source, openLink);
  }
}

/** @param {HTMLElement} list @param {string[]} lines @param {RegExp} mark @param {(url: string) => void} openLink */
function items(list, lines, mark, openLink) {
  /** @type {string[]} */
  const texts = [];
  for (const line of lines) {
    if (mark.test(line) || texts.length === 0) texts.push(line.replace(mark, ''));
    else texts[texts.length - 1] += `\n${line.trim()}`;
  }
  list.append(...texts.map((text) => inline(element('li', ''), text, openLink)));
  return list;
}

/** @param {string[]} lines @param {(url: string) => void} openLink */
function table(lines, openLink) {
  const isRule = (/** @type {string} */ line) => /^[\s|:-]+$/.test(line);
  const body = element('tbody', '');
  for (const [at, line] of lines.entries()) {
    if (isRule(line)) continue;
    const isHead = at === 0 && isRule(lines[1] ?? '');
    const cells = line.trim().replace(/^\||\|$/g, '').split('|');
    body.append(element('tr', '', ...cells.map((cell) => inline(element(isHead ? 'th' : 'td', ''), cell.trim(), openLink))));
  }
  const wide = element('div', '', element('table', '', body));
  wide.className = 'wide';
  wide.tabIndex = 0;
  return wide;
}

/** In this order: what stands in a code span is code, whatever else it looks like. Each part is bounded, so that no text is slow to read. */
const SPAN = /`([^`\n]{1,500})`|\*\*([^*\n]{1,1000})\*\*|\*([^*\s][^*\n]{0,1000})\*|(?<!!)\[([^\]\n]{0,500})\]\(([^)\s]{1,2000})(?: [^)\n]{0,200})?\)|(https?:\/\/[^\s<>"')\]]{1,2000})/g;

/** @template {HTMLElement} T @param {T} into @param {string} text @param {(url: string) => void} openLink @returns {T} */
function inline(into, text, openLink) {
  let at = 0;
  for (const match of text.matchAll(SPAN)) {
    const [whole, code, bold, italic, label, target, bare] = match;
    into.append(text.slice(at, match.index));
    at = match.index + whole.length;
    if (code !== undefined) into.append(element('code', code));
    else if (bold !== undefined) into.append(element('strong', bold));
    else if (italic !== undefined) into.append(element('em', italic));
    else into.append(link(label ?? '', target ?? bare ?? '', openLink));
  }
  into.append(text.slice(at));
  return into;
}

/** A link is a button that asks the page; where it would go stands there for everyone to read. @param {string} label @param {string} target @param {(url: string) => void} openLink */
function link(label, target, openLink) {
  if (!/^https?:\/\//i.test(target)) return element('span', label === '' ? target : `${label} (${target})`);
  const press = element('button', label === '' || label === target ? target : `${label} (${target})`);
  press.setAttribute('type', 'button');
  press.className = 'link';
  press.addEventListener('click', () => openLink(target));
  return press;
}

/** @param {string} tag @param {string} text @param {...Node} children */
function element(tag, text, ...children) {
  const made = document.createElement(tag);
  if (text !== '') made.textContent = text;
  made.append(...children);
  return made;
}

/**
 * Draws a text that grows: blocks that have not changed stay the elements that they are, so that nothing jumps and what
 * somebody selected stays selected.
 * @param {HTMLElement} into
 * @param {Block[]} before What stands there.
 * @param {string} text
 * @param {(url: string) => void} openLink
 * @returns {Block[]} What stands there now.
 */
function redraw(into, before, text, openLink) {
  const now = blocks(text);
  const same = now.findIndex((block, at) => before[at]?.kind !== block.kind || before[at]?.source !== block.source);
  const from = same === -1 ? now.length : same;
  while (into.children.length > from) into.lastElementChild?.remove();
  into.append(...now.slice(from).map((block) => drawBlock(block, openLink)));
  return now;
}
