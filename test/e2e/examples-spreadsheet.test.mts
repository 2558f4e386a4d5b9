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

	const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern) as unknown;
	const head = 'name;email;text';
	const ada = 'Ada;ada@example.com;';

	it.each<[what: string, file: string, texts: string[]]>([
		[
			'as Excel writes it in much of Europe',
			`\uFEFFName;E-Mail;Text\r\n${ada}"One; two"\r\n\r\n`,
			['One; two'],
		],
		[
			'as LibreOffice writes it',
			`${head}\n${ada}"Say ""hello""\nat the door"\n`,
			['Say "hello"\nat the door'],
		],
		['as Google Sheets writes it', 'name,email,text\r\nAda,ada@example.com,"Zoë, two"', ['Zoë, two']],
		['pasted from a sheet', ' NAME \tEmail\ttext\nAda\tada@example.com\tOne; two\n', ['One; two']],
		['that says how its cells are separated', `sep=;\r\n${head}\r\n${ada}One, two`, ['One, two']],
		[
			'with a delimiter at the end of each line',
			`${head};\n${ada}One;\nBob;bob@example.com;Two;`,
			['One', 'Two'],
		],
		['with rows of nothing but delimiters', `${head}\n;;\n${ada}One\n;;`, ['One']],
		['with a quote in the middle of a text', `${head}\n${ada}A screen of 19"`, ['A screen of 19"']],
	])('sends each row of a file %s', async (_what, file, texts) => {
		const title = 'All messages went out';
		expect(await upload(file)).toMatchObject({ title, text: `Messages sent: ${texts.length}`, files: [] });
		const requests = await receivedCalls(sandbox);
		const { channelId } = world().channel('Shop Newsletter');
		const to = email('ada@example.com', 'Ada');
		expect(requests).toContainEqual(message(channelId, to, { text: `Hello Ada! ${texts[0]}` }));
		const sent = (await sandbox.state()).messages.map(({ text }) => text?.split('! ')[1]);
		expect(sent.sort()).toEqual([...texts].sort());
	});

	it.each<[what: string, file: string | Uint8Array<ArrayBuffer>, text: unknown]>([
		[
			'that lacks a column',
			'name;mail;text\nAda;ada@example.com;One\n',
			matching(/no column email.* name, mail, text/),
		],
		[
			'that is not in UTF-8, as Excel writes it unless told otherwise',
			Buffer.from(`${head}\r\nZo\u00eb;zoe@example.com;One\r\n`, 'latin1'),
			matching(/not in UTF-8/),
		],
		['without rows', `${head}\n`, matching(/no rows/)],
		[
			'with two columns of one name',
			`${head};E-Mail\n${ada}One;bob@example.com\n`,
			matching(/column E-Mail/),
		],
		[
			'with a comma without quotes',
			'name,email,text\nAda,ada@example.com,One, two\n',
			matching(/got 4 on line 2/),
		],
		['with a short row', `${head}\n${ada}Two\n"Cem"\n`, matching(/got 1 on line 3.* as many cells/)],
		[
			'with a quote that is never closed',
			`${head}\n${ada}"One\nBob;b@example.com;Two`,
			matching(/Not Closed.* line/),
		],
	])('sends nothing of a file %s', async (_what, file, text) => {
		expect(await upload(file)).toMatchObject({ title: 'Nothing was sent', text, files: [] });
		expect(await receivedCalls(sandbox)).toEqual([]);
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
				',Eve,,Five',
				',Finn,finn@example.com,',
			].join('\n'),
		);

		expect(ending).toMatchObject({
			title: '5 of 6 rows failed',
			text: expect.stringContaining('Messages sent: 1\n'),
			files: [{ name: 'failures.csv', type: 'text/csv' }],
		});
		expect(ending.text).toMatch(/^Eve: .*To Email/m);
		expect(ending.text).toMatch(/^Finn, finn@example\.com: .*Text/m);
		expect((await ended(ending)).status).toBe('success');
		const recipients = (await receivedCalls(sandbox))
			.filter(({ accepted }) => accepted)
			.map(({ body }) => (body as { content: { to: { email: string } } }).content.to.email);
		expect(recipients.sort()).toEqual(['ada@example.com', 'dan@example.com']);

		await sandbox.clearFaults();
		await sandbox.clearRequests();
		const failures = ending.files[0]?.content.toString() ?? '';
		const corrected = failures.replace('bob@nowhere', 'bob@example.com').replace(/.*(Eve|Finn),.*\n?/g, '');
		const again = await upload(corrected);

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
