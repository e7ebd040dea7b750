// @ts-check
/**
 * What each way in ways.js reached from a frame without any walls, in Chromium 156: E a stranger's server, S the node's own, or
 * a connection, a packet, a question for a name. A test that reaches less proves less, and fails.
 */

const ES = ['E', 'S'];
/** @type {Record<string, string[]>} */
const OTHERS = {
  paymentrequest: ES,
  fedcm: ['E'],
  'svg-use': ['S'],
  'svg-ext-filter': ['S'],
  'form-to-iframe': ['S'],
  worker: ['S'],
  sharedworker: ['S'],
  serviceworker: ['S'],
  'link-dns-prefetch': ['DNS'],
  'link-preconnect': ['TCP'],
  'link-preconnect-dns': ['DNS'],
  'rtc-stun': ['UDP'],
  'rtc-turn-udp-username': ['UDP'],
  'rtc-turn-tcp': ['TCP'],
  'rtc-dns': ['DNS'],
};
/** Nothing arrived from these even without walls, so nothing is known of them. */
const UNPROVEN = ['webtransport', 'attributionsrc', 'link-prerender', 'link-icon', 'link-manifest', 'svg-in-data-img', 'fencedframe',
  'sharedstorage-worklet', 'speculationrules', 'meta-csp-report-uri', 'mathml/href-css-mask', 'css-content-url', 'xslt', 'a-hover-dns'];

/** @param {string} way @returns {string[]} */
export const measured = (way) => OTHERS[way] ?? (UNPROVEN.includes(way) ? [] : ES);
