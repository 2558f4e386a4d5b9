import { RULES } from '../../../nodes/Messaging/input/rules.ts';
import { findOperation } from '../../../nodes/Messaging/operations/index.ts';
import { callSettings } from '../../../nodes/Messaging/delivery/settings.ts';
import { cases } from '../../cases/index.mts';
import { type Example, EXAMPLES } from '../../docs/refused-examples.mts';
import { refusalBy, sourceWith } from '../support/operations.mts';
import { savedSource } from '../support/saved.mts';

/** The hint of the refusal of an example. */
function hintOn({ field, value, isFixed, item = {}, isTool }: Example): string {
	const saved = isFixed === true ? value : `=${value}`;
	const id = field === 'path' ? 'service.request' : 'message.send';
	const operation = findOperation(...(id.split('.') as [string, string]))!;
	const given = field === 'onceKey' ? { options: { onceKey: saved } } : { [field]: saved };
	const source = savedSource(operation.fields, { ...cases[id].least.given, ...given }, item);
	const { unresolved } = source;
	return refusalBy(() => {
		callSettings(source, operation);
		operation.compile(sourceWith(source, { isTool: isTool === true, ...(unresolved && { unresolved }) }));
	}).hint;
}

test('each rule has an example, which it refuses, and says how to correct it', () => {
	expect(EXAMPLES.map(hintOn)).toStrictEqual(RULES.map(({ hint }) => hint));
});

test('each rule says what it refuses, why, and what to do', () => {
	for (const { what, why } of EXAMPLES) expect([what, why]).not.toContain('');
	for (const { hint } of RULES) expect(hint).not.toBe('');
});
