// @ts-check
'use strict';
/** The chat: what was said and answered, and the composer. It draws what the page tells it and tells the page what a person does. */
/** @typedef {import('../page/messages.js').ChatEvent} ChatEvent */
/** @typedef {import('../page/messages.js').Context} Context */

{
  /** After so long without a word of a model it is probably being loaded. */
  const SLOW = 5000;
  /** As many bytes as the node takes at once, and as much of a draft as the page keeps. */
  const LONGEST = 8192;
  const LONGEST_DRAFT = 65_536;
  /** Whoever is this near the end wants to see what comes. */
  const NEAR_THE_END = 80;

  /** @typedef {{said: HTMLElement, answer: HTMLElement, state: HTMLElement, choices: HTMLElement, text: string, drawn: Block[], mind: string, working: number, waiting: boolean, over: boolean, slow: number}} Shown */

  const log = element('div', '');
  log.id = 'log';
  log.setAttribute('role', 'log');
  log.setAttribute('aria-label', 'Conversation');
  log.tabIndex = 0;
  const empty = element('section', '');
  empty.id = 'empty';
  const composer = document.createElement('textarea');
  composer.id = 'composer';
  composer.rows = 1;
  composer.placeholder = 'Ask your node…';
  composer.setAttribute('aria-label', 'Your message');
  composer.autocomplete = 'off';
  const send = press('Send', write);
  const stop = press('Stop', () => page?.postMessage({ type: 'cancel' }));
  stop.hidden = true;
  const latest = press('Latest', () => follow(true));
  latest.id = 'latest';
  latest.hidden = true;
  const tooLong = element('p', '');
  tooLong.id = 'too-long';
  tooLong.setAttribute('role', 'alert');
  const bar = element('div', '', composer, send, stop);
  bar.id = 'bar';
  document.body.append(element('main', '', empty, log, latest, tooLong, bar));

  /** @type {Map<number, Shown>} */
  const turns = new Map();

  const page = toPage((message) => {
    switch (message.type) {
      case 'context:response': restore(message.context); break;
      case 'chat:event': take(message.turn, message.event, true); break;
      case 'permissions:update': document.body.dataset.open = message.open.join(' '); break;
      case 'draft': put(`${composer.value} ${message.text}`.trim()); composer.focus(); break;
    }
  });
  if (page) page.postMessage({ type: 'context:request' });
  else document.body.replaceChildren(element('p', 'This chat belongs inside its page, and does nothing here.'));

  /** @param {Context} context */
  function restore({ theme, open, examples, draft, turns: known }) {
    document.documentElement.dataset.theme = theme;
    document.body.dataset.open = open.join(' ');
    for (const { slow } of turns.values()) clearTimeout(slow);
    turns.clear();
    log.replaceChildren();
    empty.replaceChildren(
      element('h1', 'What would you like to know?'),
      element('p', 'Ask in your own words. The node answers; it changes something only after you have said yes to exactly that.'),
      element('ul', '', ...examples.map((example) => element('li', '', press(example, () => say(example))))),
    );
    for (const { turn, events } of known) for (const event of events) take(turn, event, false);
    put(draft);
    drawState();
    follow(true);
  }

  /** @param {number} number @param {ChatEvent} event @param {boolean} isLive */
  function take(number, event, isLive) {
    const isNear = log.scrollHeight - log.scrollTop - log.clientHeight < NEAR_THE_END;
    const turn = turns.get(number) ?? begin(number);
    switch (event.type) {
      case 'said':
        turn.said.textContent = event.text;
        break;
      case 'answering':
        turn.mind = event.mind;
        break;
      case 'text':
        turn.text += event.text;
        turn.drawn = redraw(turn.answer, turn.drawn, turn.text, (url) => page?.postMessage({ type: 'open-link', url }));
        break;
      case 'working':
        turn.working += event.on ? 1 : -1;
        break;
      case 'waiting':
        turn.waiting = event.on;
        break;
      case 'ended':
        turn.over = true;
        if (event.says !== '') turn.answer.append(end(event));
        for (const choice of event.choices) turn.choices.append(press(choice, () => say(choice)));
        break;
    }
    wait(turn);
    if (!isLive) return;
    drawState();
    if (isNear || event.type === 'said') follow(event.type === 'said');
    else latest.hidden = false;
  }

  /** @param {ChatEvent & {type: 'ended'}} event */
  function end({ how, says }) {
    const line = element('p', says);
    line.className = `end ${how}`;
    return line;
  }

  /** @param {number} number @returns {Shown} */
  function begin(number) {
    const parts = { said: element('p', ''), answer: element('div', ''), state: element('p', ''), choices: element('div', '') };
    for (const [name, part] of Object.entries(parts)) part.className = name;
    log.append(element('article', '', parts.said, parts.answer, parts.state, parts.choices));
    /** @type {Shown} */
    const turn = { ...parts, text: '', drawn: [], mind: '', working: 0, waiting: false, over: false, slow: 0 };
    turns.set(number, turn);
    return turn;
  }

  /** What a person should know while nothing comes. @param {Shown} turn */
  function wait(turn) {
    clearTimeout(turn.slow);
    turn.answer.setAttribute('aria-busy', String(!turn.over));
    const state = turn.over ? '' : turn.waiting ? 'The page asks you something.' : turn.working > 0 ? 'Looking…' : turn.text === '' ? 'One moment…' : '';
    if (turn.state.textContent !== state) turn.state.textContent = state;
    if (state === 'One moment…' && turn.mind === 'model') {
      turn.slow = setTimeout(() => { turn.state.textContent = 'The model is still getting ready. The first answer can take a minute.'; }, SLOW);
    }
  }

  function drawState() {
    empty.hidden = turns.size > 0;
    log.hidden = turns.size === 0;
    const all = [...turns.values()];
    stop.hidden = all.every((turn) => turn.over);
    // While a person is asked, something new can be said; it takes the question back.
    send.hidden = all.some((turn) => !turn.over && !turn.waiting);
  }

  /** @param {boolean} always */
  function follow(always) {
    log.scrollTo({ top: log.scrollHeight, behavior: 'instant' });
    if (always) latest.hidden = true;
  }
  log.addEventListener('scroll', () => {
    if (log.scrollHeight - log.scrollTop - log.clientHeight < NEAR_THE_END) latest.hidden = true;
  });

  function write() {
    const text = composer.value.trim();
    if (text === '' || send.hidden) return;
    const bytes = new TextEncoder().encode(text).length;
    if (bytes > LONGEST) {
      // It stays where it is: nothing that was written is lost.
      tooLong.textContent = `This is too long: ${Math.ceil(bytes / 1024)} kB, and at most ${LONGEST / 1024} kB can be said at once.`;
      return;
    }
    put('');
    say(text);
  }
  /** What stands in the composer stays there. @param {string} text */
  function say(text) {
    if (send.hidden) return;
    page?.postMessage({ type: 'chat:request', text });
    if (composer.value !== '') tellDraft();
    composer.focus();
  }
  const tellDraft = () => page?.postMessage({ type: 'typing', draft: composer.value.slice(0, LONGEST_DRAFT) });
  /** @param {string} text */
  function put(text) {
    composer.value = text;
    grow();
  }
  function grow() {
    composer.style.height = 'auto';
    composer.style.height = `${Math.min(composer.scrollHeight, 200)}px`;
  }
  composer.addEventListener('input', () => {
    grow();
    tooLong.textContent = '';
    tellDraft();
  });
  composer.addEventListener('keydown', (event) => {
    // What an input method composes is not sent by the Enter that ends it.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    write();
  });
  addEventListener('focus', () => composer.focus());

  /** @param {string} text @param {() => void} on */
  function press(text, on) {
    const made = document.createElement('button');
    made.type = 'button';
    made.textContent = text;
    made.addEventListener('click', on);
    return made;
  }
}
