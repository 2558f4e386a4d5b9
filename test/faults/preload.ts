/**
 * Preloaded into the engine's process: host names whose look-up fails in the same way on every machine, and time-outs
 * that fire when the matrix makes the clock jump, independent of the machine's speed. `test/engine` tests real failed
 * look-ups and real time-outs.
 */
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { connect } from 'node:net';
import { hour, timePort } from './time.ts';

const { performance: clock, process: me } = globalThis;
const now = clock.now.bind(clock);
let jumped = 0;
clock.now = () => now() + jumped;

/** The time-outs of requests; each checks whether it has passed when the clock jumps. */
const looking = new Set<() => void>();
const { timeout } = AbortSignal;
AbortSignal.timeout = (ms) => {
	const end = clock.now() + ms;
	const over = new AbortController();
	const look = (): void => {
		if (clock.now() < end) return;
		looking.delete(look);
		over.abort(new DOMException('The time is up', 'TimeoutError'));
	};
	looking.add(look);
	return AbortSignal.any([over.signal, timeout.call(AbortSignal, ms)]);
};

/** A received byte makes the clock jump by an hour; a sent byte reports a look-up that never ends. */
const time = connect(Number(me.env[timePort]), '127.0.0.1');
time.on('data', (bytes) => {
	jumped += bytes.length * hour;
	for (const look of [...looking]) look();
});
time.on('error', () => {});
time.unref();

/** The error codes of look-ups by host; '' means no answer. */
const failing: Readonly<Record<string, string>> = {
	'unknown.invalid': 'ENOTFOUND',
	'no-name-server.invalid': 'EAI_AGAIN',
	'silent-name-server.invalid': '',
};

const { lookup } = dns;

const failingLookup = (hostname: string, ...rest: unknown[]): unknown => {
	const code = failing[hostname];
	if (code === undefined) return Reflect.apply(lookup, dns, [hostname, ...rest]);
	const done = rest.at(-1) as (error: Error) => void;
	const error = new Error(`getaddrinfo ${code} ${hostname}`);
	if (code === '') time.write('?');
	else setImmediate(done, Object.assign(error, { code, syscall: 'getaddrinfo', hostname }));
	return {};
};

dns.lookup = Object.assign(failingLookup, lookup) as typeof lookup;
syncBuiltinESMExports();
