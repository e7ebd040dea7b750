// @ts-check
/**
 * The shapes of the node's answers, as far as the page reads them: adapters/wire has them all, with a JSON schema for each.
 * A node may be newer than this page, so whatever has no word here is passed over.
 *
 * @typedef {{seq: number, at: number, event: Event}} Numbered
 *
 * @typedef {{type: 'started', backend: string, locality: string, mind: string}
 *   | {type: 'text', text: string}
 *   | {type: 'tool-started', call: number, tool: string, args: string}
 *   | {type: 'tool-finished', call: number, tool: string, not_done?: string}
 *   | {type: 'confirmation-required', id: string, call?: number}
 *   | {type: 'confirmation-resolved', id: string, outcome: string}
 *   | {type: 'closed', category: string}
 *   | {type: 'browser-action', call: number, verb: string, target: string}
 *   | {type: 'backend-switched', from: string, to: string, why: string, leaves: string[]}
 *   | {type: 'crossed', backend: string, holds: string[], messages: number, bytes: number}
 *   | {type: 'withheld', category: string, backend: string}
 *   | {type: 'finished', end: {type: string, choices?: string[]}, usage: {input?: number, output?: number}, receipts: Receipt[]}
 *   | {type: 'failed', says: string, receipts: Receipt[]}
 *   | {type: 'other'}} Event
 *
 * @typedef {{tool: string, args: string, outcome: string, says: string}} Receipt
 *
 * @typedef {object} Confirmation
 * @property {string} id
 * @property {string} digest
 * @property {string} text
 * @property {string} conversation
 * @property {string} turn
 * @property {number} expires
 * @property {number} place
 * @property {number} of
 *
 * @typedef {{turn: string, at: number, said: string, answer: string, receipts: Receipt[], events: Numbered[]}} Turned
 * @typedef {{id: string, owner: string, title: string, began: number, last: number}} Summary
 * @typedef {{seq: number, at: number, fact: string, about: string, principal?: string, turn?: string}} AuditLine
 */
export {};
