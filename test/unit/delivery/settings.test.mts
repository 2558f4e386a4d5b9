import type { INodeParameters } from 'n8n-workflow';

import { callSettings, onceKeyOf, runSettings } from '../../../nodes/Messaging/delivery/settings.ts';
import { optionsField, sendOnce } from '../../../nodes/Messaging/fields/options.ts';
import type { ParameterSource } from '../../../nodes/Messaging/input/parameter-source.ts';
import { findOperation } from '../../../nodes/Messaging/operations/index.ts';
import { refusalBy } from '../support/operations.mts';

const fields = [optionsField([...sendOnce])];

/**
 * @param unresolved the key's expression as saved in the workflow
 */
function source(options: INodeParameters, unresolved?: string, resolve = jest.fn()): ParameterSource {
	return {
		read: (name) => (name === 'options' ? options : undefined),
		unresolved: (path) => (path === 'options.onceKey' ? unresolved : undefined),
		resolve,
		timezone: 'UTC',
		caller: { callId: '' },
	};
}

describe('a once key', () => {
	const keyOf = (value: string | number | boolean, unresolved?: string): string | undefined =>
		onceKeyOf(
			source(
				{ onceKey: value },
				unresolved,
				jest.fn(() => 'a'),
			),
			{ fields },
		);

	test.each<[string | number, string | undefined, string]>([
		['7', '={{ $json.id }}', '7'],
		[7, '={{ $json.id }}', '7'],
		['order-7', '=order-{{ $json.id }}', 'order-7'],
		[' order-7 ', '= order-{{ $json.id }} ', 'order-7'],
		[' A', '={{ $json.id }}', 'A'],
		['A\n', '={{ $json.id }}', 'A'],
		['u\u0308ber', '={{ $json.id }}', '\u00fcber'],
		['fixed', undefined, 'fixed'],
		['fixed', '=fixed', 'fixed'],
		['{{ text', '=\\{{ text', '{{ text'],
		['annulled-7', '={{ "annulled-" + $json.id }}', 'annulled-7'],
		['nullable', '={{ $json.id.trim() }}', 'nullable'],
		['notnull/7', '={{ $json.kind + "/" + $json.id }}', 'notnull/7'],
		['x🙂', '={{ $json.id }}', 'x🙂'],
		['NULL-7', '={{ $json.id.toUpperCase() }}', 'NULL-7'],
		['Undefinedness', '={{ $json.id }}', 'Undefinedness'],
	])('%j from %s', (value, unresolved, key) => {
		expect(keyOf(value, unresolved)).toBe(key);
	});

	test('over MCP, n8n gives no execution ID: the error shows what it gives, and the advice names the expression', () => {
		const { message, hint } = refusalBy(() => keyOf('__UNKNOWN__-7', '={{ $execution.id }}-7'));
		expect(message).toMatch(/needs a value of its own for each item, but it is "__UNKNOWN__-7"$/);
		expect(hint).toContain('Over MCP, {{ $execution.id }}');
	});

	test('the parts of several expressions are resolved, those of a single one need not be', () => {
		const resolve = jest.fn((text: string) => (text.includes('shop') ? 'a' : undefined));
		const two = source({ onceKey: 'a-' }, '={{ $json.shop }}-{{ $json.id }}', resolve);
		expect(refusalBy(() => onceKeyOf(two, { fields })).message).toBe(
			'The field "Send Only Once Per" is incomplete: {{ $json.id }} finds nothing for this item',
		);
		resolve.mockClear();
		for (const [value, unresolved] of [
			['7', '={{ $json.id }}'],
			['order-7', '=order-{{ $json.id }}'],
			['fixed', '=fixed'],
		] as const) {
			onceKeyOf(source({ onceKey: value }, unresolved, resolve), { fields });
		}
		expect(resolve).not.toHaveBeenCalled();
	});

	test('an operation without the option has none, and neither has an item without it', () => {
		expect(onceKeyOf(source({ onceKey: 'a' }), { fields: [optionsField([])] })).toBeUndefined();
		expect(callSettings(source({}), { fields })).not.toHaveProperty('onceKey');
		expect(callSettings(source({ onceKey: 'a' }), { fields })).toHaveProperty('onceKey', 'a');
	});
});

test('the option that gives the keys is known by its label', () => {
	const { fields: ofReply = [] } = findOperation('message', 'reply') ?? {};
	expect(runSettings(source({}), ofReply).keyOption).toBe('Answer Each Message Once');
	const off: ParameterSource = { ...source({}), unresolved: (path) => path !== 'answerOnce' && undefined };
	expect(runSettings(off, ofReply).keyOption).toBeUndefined();
	expect(runSettings({ ...off, read: () => ({ onceKey: 'a' }) }, ofReply).keyOption).toBe(
		'Send Only Once Per',
	);
	expect(runSettings(source({ onceKey: 'a' }), fields).keyOption).toBe('Send Only Once Per');
});

test('Max Concurrency is as much as the service can take unless given, or 0', () => {
	const most = (options: INodeParameters) => runSettings(source(options), fields).maxInFlight;
	expect([most({}), most({ maxConcurrency: 0 }), most({ maxConcurrency: 3 })]).toEqual([
		undefined,
		undefined,
		3,
	]);
});

test('Keys to Remember is 2,000 unless given, and has limits', () => {
	const read = (options: INodeParameters): number => runSettings(source(options), fields).onceHistory;
	expect([read({}), read({ onceHistory: 1000 }), read({ onceHistory: 20_000 })]).toEqual([
		2000, 1000, 20_000,
	]);
	expect(refusalBy(() => read({ onceHistory: 20_001 })).message).toBe(
		'The field "Keys to Remember" needs a whole number from 1000 to 20000, but it is 20001',
	);
});

test.each([-1, 0.5, 2 ** 31])('Max Wait is a whole number of 32 bits, not %j', (maxWait) => {
	expect(refusalBy(() => callSettings(source({ maxWait }), { fields })).message).toBe(
		`The field "Max Wait" needs a whole number from 0 to 2147483647, but it is ${maxWait}`,
	);
});
