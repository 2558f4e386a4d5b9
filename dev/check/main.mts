/** `npm run check -- --url URL --key KEY`: whether a service fits this package. See `docs/your-service.md`. */
import { parseArgs } from 'node:util';

import { isUuid } from '../../nodes/Messaging/shared/uuid.ts';
import { maskToken } from '../../nodes/Messaging/service/secrets.ts';
import { errorText } from '../../nodes/Messaging/shared/text.ts';
import { check, type Target } from './check.mts';

const usage = `Usage: npm run --silent check -- --url URL --key KEY [options]

  --url <address>               the Base URL, e.g. https://messaging.example.com
  --key <key>                   an API key of the service; --silent keeps npm from printing it
  --header <name: value>        a header for a gateway in front of the service
  --send <channel id> <e-mail>  send a message, and the same once more; without it, nothing is sent
  --json                        the result as JSON

Exits with 1 if something differs, with 2 if it could not check.`;

/** Reads the command line. Throws if it is wrong. */
function readOptions(): Target & { json: boolean } {
	const [text, flag] = [{ type: 'string' }, { type: 'boolean' }] as const;
	const options = { url: text, key: text, header: text, send: text, json: flag };
	const { values, positionals } = parseArgs({ allowPositionals: true, options });
	const { url = '', key = '', header, send: channelId, json = false } = values;
	const target = { url, key, json, ...(header !== undefined && { header }) };
	if (channelId === undefined && positionals.length === 0) return target;
	if (channelId === undefined) throw new Error('The address belongs behind --url, and the key behind --key.');
	const [email = ''] = positionals;
	if (!isUuid(channelId) || !/^[^\s@]+@[^\s@]+$/.test(email) || positionals.length > 1) {
		throw new Error('--send takes the UUID of a channel and an e-mail address.');
	}
	return { ...target, send: { channelId, email } };
}

async function run(): Promise<void> {
	const { json, ...target } = readOptions();
	const findings = await check(target);
	const count = (verdict: string): number => findings.filter((each) => each.verdict === verdict).length;
	const [differing, untold] = [count('differs'), count("can't be told")];
	const rest = untold === 0 ? '' : ` ${untold} could not be tried: see why beside each.`;
	const [url, key] = [target.url.replace(/\/\/[^/]*@/, '//'), maskToken(target.key)];
	const rows = findings.map((row) => `${row.what.padEnd(26)} ${row.verdict.padEnd(13)}  ${row.meaning}\n`);
	const text = json
		? JSON.stringify({ url, key, fits: differing === 0, findings }, null, 2)
		: `${url}, ${key}\n\n${rows.join('')}\n${differing} of ${findings.length} differ.${rest}`;
	console.log(text);
	process.exitCode = differing === 0 ? 0 : 1;
}

run().catch((error: unknown) => {
	// Without arguments, somebody asks how it is called.
	console.error(process.argv.length > 2 ? `${errorText(error)}\n\n${usage}` : usage);
	process.exitCode = 2;
});
