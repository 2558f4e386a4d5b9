import { TEXTS } from '../cases/languages.mts';
import { useDeliveryLab } from './delivery-lab.mts';

const lab = useDeliveryLab({ expressions: 'vm' });

const all: string[] = Object.values(TEXTS);

/** The exact text that a request must contain. */
const written = (name: string, value: unknown): string => `"${name}":${JSON.stringify(value)}`;

test('every text arrives unchanged, byte for byte, in every field', async () => {
	const additionalFields = {
		toName: '=x{{ $json.text }}x',
		correlationId: '={{ $json.text }}',
		quotedMessage: '={{ { body: $json.text } }}',
		providerMetadata: '={{ { [$json.text]: [$json.text] } }}',
	};
	const run = await lab.execute(lab.send({ ordering: 'none' }, { additionalFields }), {
		items: all.map((text, n) => ({ to: `r${n}@example.com`, text })),
	});

	expect(run.status).toBe('success');
	const sent = (await lab.calls()).map(({ bodyText }) => bodyText);
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
