/**
 * Preloaded into an engine's process: time goes as many times as fast in it as FAST_CLOCK says. At sixty, what a node
 * does after half a minute it does after half a second, and a test needs not wait. No TypeScript: older Node.js preloads none.
 */
const times = Number(process.env.FAST_CLOCK);

const { performance: clock, setTimeout: wait } = globalThis;
const now = clock.now.bind(clock);
clock.now = () => now() * times;

globalThis.setTimeout = Object.assign((run, ms = 0, ...args) => wait(run, ms / times, ...args), wait);

const { timeout } = AbortSignal;
AbortSignal.timeout = (ms) => timeout.call(AbortSignal, Math.ceil(ms / times));
