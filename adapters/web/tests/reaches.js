// @ts-check
'use strict';
/** Everything beside the network that a document's script could take hold of: each says what it got, or that it was refused. */

/** @returns {Promise<Record<string, string>>} */
async function reaches() {
  const odd = /** @type {any} */ (globalThis);
  /** @type {Record<string, () => unknown>} */
  const all = {
    'self.origin': () => self.origin,
    'parent.document': () => parent.document.title,
    'top.location.href': () => top?.location.href,
    frameElement: () => { if (frameElement === null) throw new Error('none'); return 'an element'; },
    'parent.localStorage': () => /** @type {any} */ (parent).localStorage.length,
    'parent.fetch': () => /** @type {any} */ (parent).fetch('/session'),
    cookie: () => document.cookie,
    'cookie=': () => { document.cookie = 'x=1'; return 'set'; },
    cookieStore: () => odd.cookieStore.getAll(),
    localStorage: () => localStorage.length,
    sessionStorage: () => sessionStorage.length,
    indexedDB: () => new Promise((got, failed) => { const asks = indexedDB.open('x'); asks.onsuccess = got; asks.onerror = failed; }),
    caches: () => caches.keys(),
    'storage.getDirectory': () => navigator.storage.getDirectory(),
    locks: () => navigator.locks.request('x', () => 'held'),
    serviceWorker: () => navigator.serviceWorker.getRegistrations(),
    'clipboard.readText': () => navigator.clipboard.readText(),
    Notification: async () => { if (await Notification.requestPermission() !== 'granted') throw new Error('no'); },
    geolocation: () => new Promise((got, failed) => { navigator.geolocation.getCurrentPosition(got, failed); }),
    getUserMedia: () => navigator.mediaDevices.getUserMedia({ audio: true }),
    eval: () => (0, eval)('1'),
    innerHTML: () => { const made = document.createElement('div'); made.innerHTML = '<b>x</b>'; return made.firstElementChild?.tagName; },
    createPolicy: () => odd.trustedTypes.createPolicy('default', { createHTML: (/** @type {string} */ text) => text }).name,
    setHTMLUnsafe: () => /** @type {any} */ (document.createElement('div')).setHTMLUnsafe('<b>x</b>'),
    DOMParser: () => new DOMParser().parseFromString('<b>x</b>', 'text/html').body.innerHTML,
  };
  /** @type {Record<string, string>} */
  const got = {};
  for (const [name, reach] of Object.entries(all)) {
    try {
      got[name] = String(await reach());
    } catch {
      got[name] = 'refused';
    }
  }
  return got;
}
