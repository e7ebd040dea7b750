// @ts-check
'use strict';
/** Every way in which a document can go elsewhere, or make another go there, by name. Their order is that of the tests. */

/** @param {string} stranger The origin of another server. @returns {Record<string, () => unknown>} */
function goings(stranger) {
  const odd = /** @type {any} */ (globalThis);
  const { origin } = location;
  const to = (/** @type {string} */ way) => `${stranger}/${encodeURIComponent(way)}`;
  /** @param {string} tag @param {Record<string, string>} attributes */
  const put = (tag, attributes) => {
    const made = /** @type {any} */ (document.createElement(tag));
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    document.body.append(made);
    return made;
  };
  const click = (/** @type {Record<string, string>} */ attributes) => put('a', attributes).click();
  const send = (/** @type {Record<string, string>} */ attributes) => put('form', attributes).submit();
  const refresh = (/** @type {string} */ url) => document.head.append(put('meta', { 'http-equiv': 'refresh', content: `0;url=${url}` }));
  return {
    'location=': () => { location.href = to('location='); },
    'location.assign': () => location.assign(to('location.assign')),
    'location.replace': () => location.replace(to('location.replace')),
    'meta-refresh': () => refresh(to('meta-refresh')),
    'a-click': () => click({ href: to('a-click') }),
    'a-download': () => click({ href: to('a-download'), download: 'x' }),
    'open-self': () => open(to('open-self'), '_self'),
    'navigation.navigate': () => odd.navigation.navigate(to('navigation.navigate')),

    'own /rpc?leak': () => { location.href = `${origin}/rpc?leak`; },
    'own /session?leak': () => { location.href = `${origin}/session?leak`; },
    'own /aiui/../rpc?leak': () => { location.href = `${origin}/aiui/../rpc?leak`; },
    'own /aiui/%2e%2e/rpc?leak': () => { location.href = `${origin}/aiui/%2e%2e/rpc?leak`; },
    'own page?leak': () => { location.href = `${origin}/aiui/?leak`; },
    'own frame?leak': () => { location.href = `${origin}/aiui/frame/?leak`; },
    'own frame?leak by meta-refresh': () => refresh(`${origin}/aiui/frame/?leak`),
    'own frame': () => { location.href = `${origin}/aiui/frame/`; },
    reload: () => location.reload(),

    'data:': () => { location.href = 'data:text/html,<script>parent.postMessage("archy:hello","*")<\/script>'; },
    'blob:': () => { location.href = URL.createObjectURL(new Blob(['<script>parent.postMessage("archy:hello","*")<\/script>'], { type: 'text/html' })); },
    'mailto:': () => { location.href = 'mailto:a@b.test?subject=leak'; },
    'javascript:': () => { location.href = 'javascript:"<b>other</b>"'; },
    'about:blank': () => { location.href = 'about:blank'; },
    'about:srcdoc': () => { location.href = 'about:srcdoc'; },
    'history.back': () => history.back(),
    'history.go': () => history.go(-1),

    'form-self': () => send({ action: to('form-self') }),
    'form-blank': () => send({ action: to('form-blank'), target: '_blank' }),
    'form-top': () => send({ action: to('form-top'), target: '_top' }),
    'a-blank': () => click({ href: to('a-blank'), target: '_blank' }),
    'a-top': () => click({ href: to('a-top'), target: '_top' }),
    'a-parent': () => click({ href: to('a-parent'), target: '_parent' }),
    'window.open': () => open(to('window.open')),
    'open-noopener': () => open(to('open-noopener'), '_blank', 'noopener'),
    'parent.location': () => { parent.location.href = to('parent.location'); },
    'top.location.replace': () => top?.location.replace(to('top.location.replace')),
  };
}
