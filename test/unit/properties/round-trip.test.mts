import fc from 'fast-check';

import { cases, endpointIdOf, idsWhere, type Parameters } from '../../cases/index.mts';
import { collected } from '../../cases/send-samples.mts';
import { byId } from '../../cases/values.mts';
import { valueOf } from '../support/arbitraries.mts';
import { runs } from '../../runs.mts';
import { endpointOf } from '../../../api/interface.mts';
import { wire } from '../support/interface.mts';
import { membersOf, operationUnderTest } from '../support/operations.mts';

/** Whether a body has nothing that the form refuses or takes away: errors of a spreadsheet, space around type and name. */
function isPlain(body: unknown): boolean {
	const { content: { type = '', to } = {} } = body as { content?: { type?: string; to?: { name?: string } } };
	const hasSpace = [type, to?.name ?? ''].some((text) => text !== text.trim());
	return !hasSpace && !/"\s*#[^"]*[!?]\s*"/.test(JSON.stringify(body));
}

test.each(idsWhere(({ fromBody }) => fromBody !== null))('%s: what is given arrives unchanged', (id) => {
	const under = operationUnderTest(id);
	const { required = [], given, isTaken = () => true } = cases[id].fromBody ?? {};
	const bodies = valueOf(endpointOf(endpointIdOf(id)).body ?? {}, required);
	fc.assert(
		fc.property(
			bodies.filter((body) => isTaken(body as Parameters) && isPlain(body)),
			(body) => {
				expect(wire(under.body(given?.(body as Parameters)))).toStrictEqual(wire(body));
			},
		),
		runs(200),
	);
});

test('message.send: a package that is entered field by field arrives unchanged', () => {
	const under = operationUnderTest('message.send');
	const { required = [], isTaken = () => true } = cases['message.send'].fromBody ?? {};
	const bodies = valueOf(endpointOf('message.send').body ?? {}, [...required, 'content.type']);
	fc.assert(
		fc.property(
			bodies.filter((body) => isTaken(body as Parameters) && isPlain(body)),
			(body) => {
				const { channelId, content, ...top } = body as Parameters & { content: Parameters };
				const { text, to, type, messageId, timestamp, ...inside } = content;
				const { email, name = '' } = to as Parameters;
				const renamed = { contentMessageId: messageId, contentTimestamp: timestamp, contentType: type };
				const known = under.operation.fields.flatMap(membersOf).map((field) => field.name);
				const isField = ([field]: [string, unknown]) => known.includes(field);
				const others = Object.entries(inside).filter((entry) => !isField(entry));
				const added = { ...top, ...inside, ...renamed, toName: name };
				const fields = Object.entries(added).filter((entry) => isField(entry) && entry[1] !== undefined);
				const otherContent = Object.fromEntries(others);
				const given = collected({ ...Object.fromEntries(fields), otherContent });
				const parameters = { channelId: byId(channelId), toEmail: email, text, ...given };
				const address = { type: 'EMAIL', email, ...(name !== '' && { name }) };
				const expected = { ...top, channelId, content: { ...content, to: address } };
				expect(wire(under.body(parameters))).toStrictEqual(wire(expected));
			},
		),
		runs(200),
	);
});
