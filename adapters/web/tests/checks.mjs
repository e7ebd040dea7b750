// @ts-check
/** What must hold, one line each; the program ends with 1 if something does not. */

/** @type {{name: string, run: () => Promise<void>}[]} */
const all = [];
let said = 0;

/** Something that must hold. @param {string} name @param {() => Promise<void>} run */
export function holds(name, run) {
  all.push({ name, run });
}

/** Runs everything in order. `only` in the command line: those that this pattern finds. */
export async function runAll() {
  const only = process.argv.slice(2).filter((word) => !word.startsWith('-')).join(' ');
  let failed = 0;
  for (const { name, run } of all.filter(({ name }) => new RegExp(only).test(name))) {
    try {
      await run();
      said += 1;
      console.log(`ok   ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`FAIL ${name}\n     ${error instanceof Error ? error.stack?.split('\n').slice(0, 6).join('\n     ') : error}`);
    }
  }
  console.log(`${said} hold, ${failed} do not`);
  if (failed > 0 || said === 0) process.exitCode = 1;
}

/** Waits until `what` gives something true; what it gave. No test sleeps for a time. @template T @param {() => T | Promise<T>} what @param {string} says @returns {Promise<NonNullable<T>>} */
export async function until(what, says, ms = 20_000) {
  const end = Date.now() + ms;
  /** @type {unknown} */
  let last;
  while (Date.now() < end) {
    try {
      const got = await what();
      if (got) return /** @type {NonNullable<T>} */ (got);
      last = got;
    } catch (error) {
      last = error;
    }
    await new Promise((go) => { setTimeout(go, 30); });
  }
  throw new Error(`did not come: ${says} (last: ${last})`);
}

/** @param {unknown} got @param {unknown} wanted @param {string} [says] */
export function same(got, wanted, says = '') {
  const [left, right] = [JSON.stringify(got), JSON.stringify(wanted)];
  if (left !== right) throw new Error(`${says}\n     got    ${left}\n     wanted ${right}`);
}
