import { outputOf } from '../../dev/harness/n8n/api.mts';
import type { Execution } from '../../dev/harness/n8n/api.mts';
import { uploadWithForm } from '../../dev/harness/n8n/form.mts';
import type { FormEnding } from '../../dev/harness/n8n/form.mts';
import { receivedCalls } from '../../dev/harness/world.mts';
import { email, enterExamples, message } from './example-runs.mts';

const { n8n, sandbox, whilePublished, tables, world, filled } = enterExamples();

describe('bulk-send-with-error-branch', () => {
	const upload = async (csv: string | Uint8Array<ArrayBuffer>): Promise<FormEnding> =>
		await whilePublished(filled('bulk-send-with-error-branch'), async () => {
			const file = new File([csv], 'guests.csv', { type: 'text/csv' });
			return await uploadWithForm(n8n.url, 'bulk-send', file);
		});
	const ended = async ({ executionId }: FormEnding): Promise<Execution> =>
		await n8n.waitForExecution(executionId);

	it('sends to each row of an uploaded file as Excel writes it', async () => {
		const ending = await upload(
			'\uFEFF' +
				[
					'name,email,text',
					'Ada,ada@example.com,Your table is booked for 7 pm.',
					'Grace,grace@example.com,"Your table is booked for 8 pm, by the window."',
					'',
					'Zoë,zoe@example.com,"Say ""hello"" at the door."',
					'',
				].join('\r\n'),
		);

		expect(ending).toMatchObject({
			title: 'All messages went out',
			text: 'Messages sent: 3',
			files: [],
		});
		expect((await ended(ending)).status).toBe('success');
		const requests = await receivedCalls(sandbox);
		expect(requests).toHaveLength(3);
		const { channelId } = world().channel('Shop Newsletter');
		for (const [to, text] of [
			[email('ada@example.com', 'Ada'), 'Hello Ada! Your table is booked for 7 pm.'],
			[email('grace@example.com', 'Grace'), 'Hello Grace! Your table is booked for 8 pm, by the window.'],
			[email('zoe@example.com', 'Zoë'), 'Hello Zoë! Say "hello" at the door.'],
		] as const) {
			expect(requests).toContainEqual(message(channelId, to, { text }));
		}
	});

	it('with a key, says of a file that comes again that nothing was sent now', async () => {
		const example = filled('bulk-send-with-error-branch');
		const send = example.nodes.find(({ name }) => name === 'Send to Each Row');
		Object.assign(send?.parameters ?? {}, { options: { onceKey: '=spring-sale {{ $json.email }}' } });
		const rows = ['name,email,text', 'Ada,ada@example.com,One', 'Bob,bob@example.com,Two'];
		const more = [...rows, 'Cem,cem@example.com,Three'];
		const endings = await whilePublished(example, async () => {
			const all: FormEnding[] = [];
			for (const lines of [rows, rows, more]) {
				const file = new File([lines.join('\n')], 'guests.csv', { type: 'text/csv' });
				all.push(await uploadWithForm(n8n.url, 'bulk-send', file));
			}
			return all;
		});
		expect(endings).toMatchObject([
			{ title: 'All messages went out', text: 'Messages sent: 2' },
			{ title: 'Nothing was sent now', text: 'Messages sent: 0\nSent before, and not again: 2' },
			{ title: 'All messages went out', text: 'Messages sent: 1\nSent before, and not again: 2' },
		]);
		expect(await receivedCalls(sandbox)).toHaveLength(3);
	});

	it.each([
		['Excel in much of Europe', '\uFEFFName;E-Mail;Text\r\nAda;ada@example.com;"One; two"\r\n'],
		['LibreOffice', 'name;email;text\nAda;ada@example.com;"One; two"\n'],
		['Google Sheets', 'name,email,text\r\nAda,ada@example.com,One; two'],
		['a paste from a sheet', ' NAME \tEmail\ttext\nAda\tada@example.com\tOne; two\n'],
	])('reads a file as %s writes it', async (_program, file) => {
		expect(await upload(file)).toMatchObject({ text: 'Messages sent: 1' });
		const [request] = await receivedCalls(sandbox);
		const { channelId } = world().channel('Shop Newsletter');
		const to = email('ada@example.com', 'Ada');
		expect(request).toEqual(message(channelId, to, { text: 'Hello Ada! One; two' }));
	});

	it.each<[what: string, lines: string[], texts: string[]]>([
		[
			'a line that says how its cells are separated',
			['sep=;', 'name;email;text', 'Ada;ada@example.com;One, two'],
			['One, two'],
		],
		[
			'a delimiter at the end of each line',
			['name;email;text;', 'Ada;ada@example.com;One;', 'Bob;bob@example.com;Two;'],
			['One', 'Two'],
		],
		['rows of nothing but delimiters', ['name;email;text', ';;', 'Ada;ada@example.com;One', ';;'], ['One']],
		[
			'a quote in the middle of a text',
			['name;email;text', 'Ada;ada@example.com;A screen of 19"', 'Bob;bob@example.com;"Say ""19"" inch"'],
			['A screen of 19"', 'Say "19" inch'],
		],
	])('sends each row of a file with %s', async (_what, lines, texts) => {
		expect(await upload(lines.join('\r\n'))).toMatchObject({ text: `Messages sent: ${texts.length}` });
		const sent = (await sandbox.state()).messages.map(({ text }) => text?.split('! ')[1]);
		expect(sent.sort()).toEqual([...texts].sort());
	});

	it('sends the others if a row has no text or no address, and says whose it is', async () => {
		const lines = [
			'name,email,text',
			'Bob,bob@example.com,"Two\nlines"',
			'Cem,cem@example.com,',
			'Dan,,Four',
		];
		const ending = await upload(lines.join('\n'));
		expect(ending).toMatchObject({ title: '2 of 3 rows failed', files: [{ name: 'failures.csv' }] });
		expect(ending.text).toMatch(/^Cem, cem@example\.com: .*Text/m);
		expect(ending.text).toMatch(/^Dan: .*To Email/m);
		expect((await sandbox.state()).messages.map(({ recipient }) => recipient)).toEqual(['bob@example.com']);
	});

	it('leaves out who has said STOP', async () => {
		const example = filled('bulk-send-with-error-branch');
		const csv = ['name,email,text', 'Ada,ada@example.com,One', 'Bob,Bob <BOB@example.com>,Two'].join('\n');
		const file = new File([csv], 'guests.csv', { type: 'text/csv' });
		const endings = await whilePublished(example, async () => {
			const all: FormEnding[] = [];
			for (const address of [' BOB@example.com', 'Ada <ada@example.com>']) {
				await tables.insert('Messaging customers', [{ address, doNotContact: true }]);
				all.push(await uploadWithForm(n8n.url, 'bulk-send', file));
			}
			return all;
		});
		expect(endings).toMatchObject([
			{ title: 'All messages went out', text: 'Messages sent: 1\nLeft out, because they said STOP: 1' },
			{ title: 'Nothing was sent', text: 'Everybody in this file has said STOP.' },
		]);
		expect((await sandbox.state()).messages.map(({ recipient }) => recipient)).toEqual(['ada@example.com']);
	});

	it('says what to do while nobody has made its data table', async () => {
		const file = new File(['name,email,text\nAda,ada@example.com,One\n'], 'guests.csv', { type: 'text/csv' });
		const ending = await whilePublished(filled('bulk-send-with-error-branch'), async () => {
			await tables.deleteAll();
			return await uploadWithForm(n8n.url, 'bulk-send', file);
		});
		expect(ending).toMatchObject({
			title: 'Nothing was sent',
			text: expect.stringContaining('Run This Once') as unknown,
		});
		expect(await receivedCalls(sandbox)).toEqual([]);
	});

	const title = 'Nothing was sent';
	it.each<[what: string, file: string | Uint8Array<ArrayBuffer>, ending: object]>([
		[
			'that lacks a column: it says which ones it has',
			'name;mail;text\nAda;ada@example.com;One\n',
			{ title, text: 'This file has no column email. It has: name, mail, text' },
		],
		[
			'that is not in UTF-8, as Excel writes it unless told otherwise',
			Buffer.from('name;email;text\r\nZo\u00eb;zoe@example.com;One\r\n', 'latin1'),
			{ title, text: expect.stringContaining('not in UTF-8') as unknown },
		],
		['without rows', 'name,email,text\n', { title, text: 'The file has no rows below the first.' }],
		[
			'with two columns of one name',
			'name,email,text,E-Mail\nAda,ada@example.com,One,bob@example.com\n',
			{ title, text: 'This file has more than one column E-Mail. Rename or remove one.' },
		],
		[
			'in which a row has a comma without quotes: it says its line',
			'name,email,text\nBob,bob@example.com,Two\nAda,ada@example.com,One, two\n',
			{ title, text: expect.stringMatching(/got 4 on line 3/) as unknown },
		],
		[
			'in which a row is too short',
			'name,email,text\nBob,bob@example.com,Two\n"Cem"\n',
			{ title, text: expect.stringMatching(/got 1 on line 3.* as many cells as the first/) as unknown },
		],
		[
			'in which a quote is never closed',
			'name,email,text\nCem,cem@example.com,"Three\nBob,bob@example.com,Two\n',
			{ title, text: expect.stringMatching(/Quote Not Closed.* line \d/) as unknown },
		],
	])('sends nothing of a file %s', async (_what, file, ending) => {
		expect(await upload(file)).toMatchObject({ ...ending, files: [] });
		expect(await receivedCalls(sandbox)).toEqual([]);
	});

	it('gives the rows that failed back, as a file that can be corrected and uploaded', async () => {
		const unknown = { status: 400, body: { title: 'Unknown, "cleo"', status: 400 } };
		await sandbox.setFaults([
			{ kind: 'status', bodyContains: 'cleo@example.com', ...unknown },
			{ kind: 'lostResponse', bodyContains: 'dan@example.com' },
		]);

		const ending = await upload(
			[
				'phone,name,email,text',
				'+49301234567,Ada,ada@example.com,One',
				'007,Bob,bob@nowhere,Two',
				'+49301234568,Cleo,cleo@example.com,"Three,\nand a half"',
				',Dan,dan@example.com,Four',
			].join('\n'),
		);

		expect(ending).toMatchObject({
			title: '3 of 4 rows failed',
			text: expect.stringContaining('Messages sent: 1\n'),
			files: [{ name: 'failures.csv', type: 'text/csv' }],
		});
		expect((await ended(ending)).status).toBe('success');
		const recipients = (await receivedCalls(sandbox))
			.filter(({ accepted }) => accepted)
			.map(({ body }) => (body as { content: { to: { email: string } } }).content.to.email);
		expect(recipients.sort()).toEqual(['ada@example.com', 'dan@example.com']);

		await sandbox.clearFaults();
		await sandbox.clearRequests();
		const failures = ending.files[0]?.content.toString() ?? '';
		const again = await upload(failures.replace('bob@nowhere', 'bob@example.com'));

		const row = (phone: string, name: string, text: string, outcome: string, reason: RegExp) => ({
			phone,
			name,
			email: `${name.toLowerCase()}@example.com`,
			text,
			outcome,
			reason: expect.stringMatching(reason) as unknown,
		});
		expect(outputOf(await ended(again), 'Rows to Send').map(({ json }) => json['row'])).toEqual([
			row('007', 'Bob', 'Two', 'rejected', /e-mail address/),
			row('+49301234568', 'Cleo', 'Three,\nand a half', 'rejected', /Unknown, "cleo"/),
			row('', 'Dan', 'Four', 'unknown', /./),
		]);
		expect(again).toMatchObject({ title: 'All messages went out', text: 'Messages sent: 3' });
		expect(await receivedCalls(sandbox)).toHaveLength(3);
	});
});
