/**
 * Preloaded into an engine's process: time runs FAST_CLOCK times as fast. At sixty, half a minute takes half a second.
 * Plain JavaScript, since older Node.js preloads no TypeScript.
 */
const times = Number(process.env.FAST_CLOCK);

const { performance: clock, setTimeout: wait } = globalThis;
const now = clock.now.bind(clock);
clock.now = () => now() * times;

globalThis.setTimeout = Object.assign((run, ms = 0, ...args) => wait(run, ms / times, ...args), wait);

const { timeout } = AbortSignal;
AbortSignal.timeout = (ms) => timeout.call(AbortSignal, Math.ceil(ms / times));
