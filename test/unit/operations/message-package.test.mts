import { type Schema, schemaNamed } from '../../../api/interface.mts';
import { ids } from '../../cases/values.mts';
import { operationUnderTest } from '../support/operations.mts';

const send = operationUnderTest('message.send');

/** One field of the package, at any depth. */
interface Field {
	path: string[];
	kind: string;
}

function fieldsOf(schema: Schema, path: string[] = []): Field[] {
	return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
		const here = [...path, name];
		if (member.$ref !== undefined) return fieldsOf(schemaNamed(member.$ref), here);
		// The API describes an email only as text.
		return [{ path: here, kind: name === 'email' ? name : String(member.format ?? member.type) }];
	});
}

/** For each kind of field: a wrong value, and a value that is converted. */
const KINDS: Record<string, { wrong: unknown; loose: unknown; onWire: unknown }> = {
	string: { wrong: {}, loose: 5, onWire: '5' },
	email: { wrong: 'ada', loose: '', onWire: '' },
	uuid: { wrong: 'acme', loose: ` ${ids.package} `, onWire: ids.package },
	int32: { wrong: 1.5, loose: '7', onWire: 7 },
	boolean: { wrong: 'no', loose: 'true', onWire: true },
	'date-time': { wrong: 'tomorrow', loose: '2030-07-31T09:00:00', onWire: '2030-07-31T09:00:00.000+02:00' },
	object: { wrong: 'text', loose: '{"a":1}', onWire: { a: 1 } },
};

const rows = fieldsOf(schemaNamed('MessagePackage')).map(({ path, kind }) => ({
	path,
	field: path.join(' > '),
	...KINDS[kind],
}));

/** A package with this value at a path, and some text. */
function packageWith(path: readonly string[], value: unknown): Record<string, unknown> {
	const message: Record<string, unknown> = { content: { text: 'Hi', type: 'TEXT', to: { phone: '1' } } };
	let place = message;
	for (const name of path.slice(0, -1)) place = (place[name] ??= {}) as Record<string, unknown>;
	place[path.at(-1) ?? ''] = value;
	return message;
}

const fromJson = (value: unknown) => ({ inputMode: 'json', package: value });

test('the interface has all these fields', () => {
	expect(rows.length).toBeGreaterThan(45);
	expect(rows.filter(({ onWire }) => onWire === undefined)).toStrictEqual([]);
});

// The node fills in two of the others, and the type TEXT needs a text.
const notNull = ['packageId', 'channelId', 'content > text'];

test.each(rows)('$field is refused, converted or left out', ({ path, field, wrong, loose, onWire }) => {
	expect(send.refusal(fromJson(packageWith(path, wrong))).field).toBe(`Package > ${field}`);
	expect(send.body(fromJson(packageWith(path, loose)))).toMatchObject(packageWith(path, onWire));
	if (notNull.includes(field)) return;
	const sent = send.body(fromJson(packageWith(path, null)));
	expect(sent).not.toHaveProperty(path);
	expect(JSON.stringify(sent)).not.toContain('null');
});

test('fields that the interface does not show pass through unchanged, at every level, under any name', () => {
	const strange = JSON.parse(
		'{"__proto__":{"a":[null]},"a":null,"Timestamp":"x","text":{"timestamp":5}}',
	) as object;
	const content = {
		text: 'Hi',
		to: { type: 'CHAT', channelId: 'C1', priority: 'high', ...strange, email: 'a@b.c' },
		quotedMessage: { body: 'Hi', ...strange },
		referralAds: { ...strange },
		attachment: { accountId: 'no uuid', list: [1, null] },
		subject: null,
	};
	const message = { channelId: ids.channel, tags: ['a'], content };
	const { packageId: _, ...sent } = send.body(fromJson(JSON.stringify(message))) as Record<string, unknown>;
	expect(JSON.stringify(sent)).toBe(JSON.stringify(message));
});
