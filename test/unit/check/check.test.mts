import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { check, type Finding, type Target } from '../../../dev/check/check.mts';
import { SandboxClient } from '../../../dev/sandbox/client.mts';
import { spawnSandbox, type SandboxProcess } from '../../../dev/sandbox/spawn.mts';
import { type Answer, type Arrived, KEY, startOther, type Variant } from './other-service.mts';

const CHANNEL = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const SEND = { channelId: CHANNEL, email: 'ada@example.com' };

const verdictsOf = (findings: Finding[]): Record<string, string> =>
	Object.fromEntries(findings.map(({ what, verdict }) => [what, verdict]));

/** Checks a service that fits, except for the variant. */
async function checkOther(
	variant: Variant,
	target: Partial<Target> = {},
): Promise<{ findings: Finding[]; arrived: Arrived[] }> {
	const other = await startOther(variant);
	try {
		return { findings: await check({ url: other.url, key: KEY, ...target }), arrived: other.arrived };
	} finally {
		await other.close();
	}
}

/** The rows that don't fit, each in one line. */
const deviating = (findings: Finding[]): string[] =>
	findings.flatMap(({ what, verdict, meaning }) =>
		verdict === 'fits' ? [] : [`${what}: ${verdict}: ${meaning}`],
	);

const ok = (body?: unknown): Answer => ({ status: 200, body });
const problem = (status: number, detail: string) => ({ status, body: { title: 'Refused', detail, status } });

const BUILT = '.cache/check.cjs';

/** Runs a command to its end, whatever its exit code. */
const run = async (program: string, ...args: string[]): Promise<{ code: unknown; output: string }> => {
	try {
		const { stdout, stderr } = await promisify(execFile)(program, args);
		return { code: 0, output: stdout + stderr };
	} catch (error) {
		const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string };
		return { code, output: stdout + stderr };
	}
};

describe('the sandbox', () => {
	let sandbox: SandboxProcess;
	let control: SandboxClient;
	beforeAll(async () => {
		sandbox = await spawnSandbox();
		control = new SandboxClient(sandbox.control);
	});
	afterAll(() => sandbox.stop());
	beforeEach(() => control.reset(1));

	test.each(['org', 'acc'] as const)('fits in everything, and nothing in it changes: %s', async (type) => {
		const before = await control.state();
		const findings = await check({ url: sandbox.url, key: sandbox.tokens[type] });
		expect(deviating(findings)).toEqual([]);
		expect(await control.state()).toEqual(before);
		// Every operation was asked for, except those that would create something.
		const requests = await control.requests();
		expect(requests.filter(({ problems, status }) => problems.length > 0 && status !== 401)).toEqual([]);
		expect(new Set(requests.map(({ operationId }) => operationId))).toEqual(
			new Set([
				...['apiKey.getCurrent', 'channel.getAll', 'account.getAll', 'message.edit', 'message.delete'],
				...['outbox.get', 'outbox.cancel', 'outbox.requeue'],
				...['channel.updateParameters', 'apiKey.update', 'apiKey.delete'],
			]),
		);
	});

	test('npm run check prints the same as a table and as data, without the key', async () => {
		const { url, tokens } = sandbox;
		const args = ['--url', url, '--key', tokens.org];
		const { output: table } = await run('npm', 'run', '--silent', 'check', '--', ...args);
		// Built by the command before.
		const { code, output } = await run('node', BUILT, ...args, '--json');
		expect(code).toBe(0);
		const data = JSON.parse(output) as { fits: boolean; key: string; findings: Finding[] };
		expect(data.fits).toBe(true);
		expect(deviating(data.findings)).toEqual([]);
		const rows = table.split('\n').filter((line) => / {2}fits {2}/.test(line));
		expect(rows).toHaveLength(data.findings.length);
		expect(table + JSON.stringify(data)).not.toContain(tokens.org);
		expect(data.key).toBe(`org_…${tokens.org.slice(-4)}`);
	});
});

test('a service of other habits fits: envelopes, and refusals inside a 200', async () => {
	const { findings, arrived } = await checkOther({
		'GET /Me': { status: 200, body: { data: { type: 'Acc', resourcePlan: { limit: 90, seconds: 60 } } } },
		Accounts: { status: 200, body: { result: { items: [{ accountId: CHANNEL }], total: 1 } } },
		'Edit a message': ok({ success: false, message: 'There is no such message' }),
		'Delete a message': ok({ success: false, message: 'There is no such message' }),
	});
	expect(deviating(findings)).toEqual([]);
	expect(arrived.map(({ name }) => name)).not.toContain('Send a message');
});

describe('a service that does not fit', () => {
	const others = [{ channelId: CHANNEL }];
	test.each<[does: string, endpoint: keyof Variant, answer: Answer, says: string]>([
		['accepts any key', 'A wrong key', ok({}), 'differs: Answered 200, not 401'],
		['knows no PATCH', 'Cancel an outbox entry', problem(405, 'No PATCH'), 'differs: .*No PATCH'],
		['fails', 'Update channel parameters', problem(500, 'Null reference'), 'differs: .*Null reference'],
		[
			'gives no reason',
			'Get an outbox entry',
			{ status: 404 },
			'differs: Refused with 404, but not with JSON',
		],
		[
			'is blocked by a gateway',
			'Get an outbox entry',
			{ status: 403, body: '<title>Blocked</title>', headers: { 'cf-ray': '8f1-FRA' } },
			'differs: A gateway answered with status 403: Blocked.*\\(request 8f1-FRA\\)',
		],
		['answers with a web page', 'Get an outbox entry', ok('<html>'), 'differs: A web page'],
		['allows the key less', 'Revoke an API key', problem(403, 'No'), "can't be told: Refused with 403: .*No"],
	])('%s: %s', async (_, endpoint, answer, says) => {
		const { findings } = await checkOther({ [endpoint]: answer });
		expect(deviating(findings)).toEqual([expect.stringMatching(`^${endpoint}: ${says}`)]);
	});

	const textPlan: Variant = { 'GET /Me': ok({ resourcePlan: { limit: '100', seconds: 60 } }) };
	const channels = (body: unknown): Variant => ({ Channels: ok(body) });
	const page = Array.from({ length: 50 }, () => others[0]);
	const part = { items: others, totalCount: 120 };
	const otherType = [...others, { channelId: CHANNEL, isConnected: 'yes' }];
	const redirect: Variant = { Accounts: { status: 302, headers: { location: 'http://127.0.0.1:9/' } } };
	const untold = ['GET /Me: differs: .*must answer with JSON', "Plan of the key: can't be told"];
	const done: Variant = { 'Edit a message': ok({}), 'Revoke an API key': { status: 204 } };

	test.each<[does: string, variant: Variant, ...says: string[]]>([
		['has a plan in text', textPlan, 'Plan of the key: differs: .*whole numbers'],
		['tells no plan', { 'GET /Me': { status: 204 } }, ...untold],
		[
			'has no UUIDs',
			channels([...others, { id: 7 }]),
			'Channels: IDs and fields: differs: 1 of 2 have no UUID',
		],
		[
			'has other types',
			channels(otherType),
			'Channels: IDs and fields: differs: .*isConnected: must be boolean',
		],
		['has no channels', channels([]), "Channels: IDs and fields: can't be told"],
		['has as many as a page', channels(page), "Channels: all of them: can't be told: 50 came"],
		['sends a part', channels(part), 'Channels: all of them: differs: The service sent 1 of 120 channels'],
		[
			'has no list',
			{ Accounts: ok({ nothing: 'here' }) },
			...['Accounts: all of them: differs', "Accounts: IDs and fields: can't be told"],
		],
		['redirects', redirect, ...['Accounts: all of them: differs: .*redirects', 'Accounts: IDs']],
		[
			'does what was asked of an ID that it does not have',
			done,
			'Edit a message: differs: Answered 200 .*the node would take this for done',
			'Revoke an API key: differs: Answered 204 ',
		],
	])('%s', async (_, variant, ...says) => {
		const { findings } = await checkOther(variant);
		expect(deviating(findings)).toEqual(says.map((line) => expect.stringMatching(`^${line}`) as string));
	});
});

test.each([
	['does not answer /Me as it should', { 'GET /Me': problem(404, 'No such path') }, 'differs'],
	['is not available', { 'GET /Me': { status: 503, headers: { 'retry-after': '9' } } }, 'differs'],
] as const)('a service that %s is not asked anything else', async (_, variant, verdict) => {
	const { findings, arrived } = await checkOther(variant, { send: SEND });
	expect(verdictsOf(findings)['GET /Me']).toBe(verdict);
	expect(arrived).toHaveLength(1);
	expect(new Set(findings.slice(1).map(({ verdict: other }) => other))).toEqual(new Set(["can't be told"]));
});

test('after a 429, nothing more is asked', async () => {
	const { findings, arrived } = await checkOther({ 'Edit a message': problem(429, 'Too many') });
	expect(arrived.at(-1)?.name).toBe('Edit a message');
	expect(verdictsOf(findings)).toMatchObject({
		'Channels: all of them': 'fits',
		'Edit a message': "can't be told",
		'Revoke an API key': "can't be told",
	});
});

test('of a plan that is too small for the check, half is used', async () => {
	const plan = { limit: 8, seconds: 60 };
	const { findings, arrived } = await checkOther({
		'GET /Me': ok({ type: 'account', resourcePlan: plan }),
	});
	expect(arrived).toHaveLength(4);
	expect(findings.at(-1)?.meaning).toContain('half of the plan');
});

describe('a message that is sent twice', () => {
	test.each<[answer: string, answers: NonNullable<Variant['Send a message']>, verdict: string]>([
		['refused the second time', [{ status: 202 }, problem(409, 'Known')], 'fits'],
		['refused inside a 200', [ok(), ok({ success: false, message: 'Known' })], 'fits'],
		['answered with the same message', ok({ messageId: 'm1' }), 'fits'],
		['accepted without a messageId', ok(), "can't be told"],
		['failing the second time', [ok(), problem(500, 'Duplicate key')], 'differs'],
	])('%s', async (_, answers, verdict) => {
		const { findings, arrived } = await checkOther({ 'Send a message': answers }, { send: SEND });
		const sent = arrived.filter(({ name }) => name === 'Send a message');
		expect(sent).toHaveLength(2);
		expect(sent[1]?.body).toBe(sent[0]?.body);
		expect(JSON.parse(sent[0]?.body ?? '')).toMatchObject({
			channelId: CHANNEL,
			packageId: expect.any(String),
		});
		expect(verdictsOf(findings)).toMatchObject({ 'Send a message': 'fits', 'Send it again': verdict });
	});

	test('is not sent again unless it was accepted', async () => {
		const answer = { status: 0, silent: 'close' as const };
		const { findings, arrived } = await checkOther({ 'Send a message': answer }, { send: SEND });
		expect(arrived.filter(({ name }) => name === 'Send a message')).toHaveLength(1);
		expect(verdictsOf(findings)['Send a message']).toBe('differs');
	});
});

test('a header for a gateway goes with each request, and is not shown', async () => {
	const secret = 'gateway:secret';
	const header = `X-Gateway-Key: ${secret}`;
	const { findings, arrived } = await checkOther({ Channels: problem(403, `Not ${secret}`) }, { header });
	expect(arrived.length).toBeGreaterThan(5);
	expect(new Set(arrived.map(({ headers }) => headers['x-gateway-key']))).toEqual(new Set([secret]));
	expect(JSON.stringify(findings)).toContain('Not …cret');
	expect(JSON.stringify(findings)).not.toContain(secret);
});

describe('npm run check', () => {
	test('exits with 1 if something differs; a service that repeats the key does not show it', async () => {
		const other = await startOther({ 'Edit a message': problem(405, `Your key ${KEY} is at fault`) });
		const args = ['run', '--silent', 'check', '--', '--url', other.url, '--key', KEY];
		const { code, output } = await run('npm', ...args);
		await other.close();
		expect(code).toBe(1);
		expect(output).toContain('is at fault');
		expect(output).not.toContain(KEY);
	});

	test('exits with 2 if it cannot check', async () => {
		const url = 'http://127.0.0.1:9';
		const wrong: Array<[args: string[], words: string]> = [
			[['--url', 'example.com', '--key', KEY], 'Base URL'],
			[['--url', url, '--key', KEY, '--header', 'X-Gateway'], 'Header Value'],
			[['--url', url, '--key', KEY, '--send', CHANNEL], '--send takes'],
			[['--url', url, '--key', KEY, 'ada@example.com'], 'behind --url'],
			[['--url', url, '--keys', KEY], '--keys'],
		];
		const ends = await Promise.all(wrong.map(([args]) => run('node', BUILT, ...args)));
		expect(ends).toEqual(
			wrong.map(([, words]) => ({ code: 2, output: expect.stringContaining(words) as string })),
		);
		expect(JSON.stringify(ends)).not.toContain(KEY);
	});
});
