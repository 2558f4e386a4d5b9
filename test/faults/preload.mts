/**
 * Preloaded into the engine's process: host names whose look-up fails in the same way on every machine. `test/engine`
 * tests real failed look-ups.
 */
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';

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
	if (code !== '') setImmediate(done, Object.assign(error, { code, syscall: 'getaddrinfo', hostname }));
	return {};
};

dns.lookup = Object.assign(failingLookup, lookup) as typeof lookup;
syncBuiltinESMExports();
