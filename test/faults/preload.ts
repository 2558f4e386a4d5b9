/**
 * Preloaded into the engine's process: some host names that can't be looked up, in the same way on every machine, and
 * time that the matrix makes jump, so that nobody has to wait for a time-out nor can be too slow for it. What is seen
 * of a real look-up that fails, and of a real time-out, stands in `test/engine`.
 */
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { connect } from 'node:net';
import { hour, timePort } from './time.ts';

const { performance: clock, process: me } = globalThis;
const now = clock.now.bind(clock);
let jumped = 0;
clock.now = () => now() + jumped;

/** The times that requests have: each looks whether it is up when the time jumps. */
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

/** A byte from there is an hour that passes; one to there is a look-up that never ends. */
const time = connect(Number(me.env[timePort]), '127.0.0.1');
time.on('data', (bytes) => {
	jumped += bytes.length * hour;
	for (const look of [...looking]) look();
});
time.on('error', () => {});
time.unref();

/** How the look-up of these hosts ends; '' never. */
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
