import { TEXTS } from '../cases/languages.ts';
import { useDeliveryLab } from './delivery-lab.ts';
import { errorOf } from './lab.ts';

const lab = useDeliveryLab({ expressions: 'vm' });

const all: string[] = Object.values(TEXTS);
const failing = { onError: 'continueRegularOutput' } as const;

/** The messages as they arrived. */
const bodies = async (): Promise<string[]> => (await lab.calls()).map(({ bodyText }) => bodyText);

/** The exact text that a request must contain. */
const written = (name: string, value: unknown): string => `"${name}":${JSON.stringify(value)}`;

describe('on the wire', () => {
	test('a text is what it was, to the byte, wherever it stands', async () => {
		const run = await lab.execute(
			lab.send(
				{ ordering: 'none' },
				{
					additionalFields: {
						toName: '=x{{ $json.text }}x',
						correlationId: '={{ $json.text }}',
						quotedMessage: '={{ { body: $json.text } }}',
						providerMetadata: '={{ { [$json.text]: [$json.text] } }}',
					},
				},
			),
			{ items: all.map((text, n) => ({ to: `r${n}@example.com`, text })) },
		);

		expect(run.status).toBe('success');
		const sent = await bodies();
		expect(sent).toHaveLength(all.length);
		for (const [n, text] of all.entries()) {
			const body = sent.find((candidate) => candidate.includes(`"r${n}@example.com"`)) ?? '';
			expect(body).toContain(written('text', text));
			expect(body).toContain(written('name', `x${text}x`));
			expect(body).toContain(written('correlationId', text));
			expect(body).toContain(written('body', text));
			expect(body).toContain(written('providerMetadata', { [text]: [text] }));
		}
	});
});

describe('half of a character', () => {
	const whole = 'Thanks 👩🏽‍🚀';
	const half = whole.slice(0, 8);

	test.each([
		['a field', {}, 'Text'],
		[
			'an additional field',
			{ text: 'x', additionalFields: { correlationId: '={{ $json.text }}' } },
			'Correlation ID',
		],
		[
			'a row of the address',
			{
				...{ text: 'x', addressType: 'other', toType: 'PHONE' },
				toRows: { values: [{ name: 'phone', value: '={{ $json.text }}' }] },
			},
			'To Fields > phone',
		],
		[
			'JSON, where it is written as an escape',
			{
				inputMode: 'json',
				package: '{ "content": { "text": "\\ud83d", "to": { "type": "X", "id": "1" } } }',
			},
			'Package > content.text',
		],
	])('in %s is refused by the name of the field, and the rest goes out', async (_, change, field) => {
		const run = await lab.execute(lab.send({}, change), {
			items: [
				{ to: 'a@example.com', text: half },
				{ to: 'b@example.com', text: whole },
			],
			settings: failing,
		});
		const error = errorOf(run.main[0][0]);
		expect(error).toMatchObject({
			message: `The field "${field}" contains half a character`,
			outcome: 'unsent',
		});
		expect(error.description).toContain('Item 0');
		const same = 'inputMode' in change;
		expect(await bodies()).toHaveLength(same ? 0 : 1);
	});
});
