import type { ParameterSource } from '../../../nodes/Messaging/input/parameter-source.ts';
import { refuseModelInput } from '../../../nodes/Messaging/input/refuse.ts';
import type { Properties } from '../../../nodes/Messaging/input/parameter-types.ts';
import { refusalBy } from '../support/operations.mts';

const fields = [
	{ displayName: 'To Email', name: 'toEmail', type: 'string', default: '' },
	{ displayName: 'Text', name: 'text', type: 'string', default: '' },
	{ displayName: 'Channel', name: 'channelId', type: 'resourceLocator', default: {} },
] as const satisfies Properties;

/** A tool that a model calls with these fields, for so many items of the agent, which may make the call itself. */
function call(
	given: Record<string, unknown>,
	sent: string[] = ['email'],
	items = 1,
	isFirstForAll = false,
): void {
	const source: ParameterSource = {
		read: () => '',
		unresolved: (path) => given[path],
		timezone: 'UTC',
		caller: { callId: '', isTool: true, toolInput: { sent, items, isFirstForAll } },
	};
	refuseModelInput(source, fields);
}

describe('of the item, an expression may read fields by their plain names', () => {
	test.each([
		'{{ $json.email }}',
		'{{ $json["email"] }}',
		"{{ $json ?. ['email'].trim() }}",
		'{{ $json?.email ?? "ada@example.com" }}',
		'{{ ($json . email).toLowerCase() }}',
	])('%s: but not if the model sends a field of that name', (expression) => {
		expect(() => call({ toEmail: `=${expression}` }, ['text', 'reason'])).not.toThrow();
		const refusal = refusalBy(() => call({ toEmail: `=${expression}` }));
		expect(refusal.message).toMatch(/"To Email" is set by the workflow: call the tool without email/);
	});

	test.each([
		'{{ $json.customer.email }}',
		'{{ $json["order"]["email"] }}',
		'{{ $json.emails[0] }}',
		'{{ $json.order[$json.which] }}',
		'{{ $json.straße }}',
		'{{ $json.phone.replace(/\\D/g, "") }}',
		"{{ $('Webhook').item.json.email }}",
		'{{ $node["Webhook"].json.email }}',
		'{{ $execution.id }} {{ $now.toISO() }} {{ $json.id }}',
		'{{ $fromAI("email", "who gets it (one of $5 users)", "string") }}',
		'{{ $jmespath($json.order, "email") }}',
		'{{ $tool.name }}',
	])('%s is read as ever', (expression) => {
		expect(() => call({ toEmail: `=${expression}` })).not.toThrow();
	});

	test.each([
		'{{ $data.email }}',
		'{{ $items()[0].json.email }}',
		'{{ $items("Webhook")[0].json.email }}',
		'{{ $input.item.json.email }}',
		'{{ $json["em" + "ail"] }}',
		'{{ $json[`email`] }}',
		'{{ $json[`em${"ail"}`] }}',
		'{{ $json[$json.which] }}',
		'{{ $json["em\\u0061il"] }}',
		'{{ $json.em\\u0061il }}',
		'{{ $json[0] }}',
		'{{ $json[("email")] }}',
		'{{ $json }}',
		'{{ Object.values($json)[0] }}',
		'{{ $json.values()[0] }}',
		'{{ $json["values"]()[0] }}',
		'{{ $json?.values?.()[0] }}',
		'{{ $json.values/**/()[0] }}',
		'{{ (({ email }) => email)($json) }}',
		'{{ $jmespath($json, "email") }}',
		'{{ $item(0).$json.email }}',
		'{{ $parameter.text }}',
		'{{ $evaluateExpression("{" + "{ $js" + "on.email }}") }}',
		'{{ this["$js" + "on"].email }}',
		'{{ this["\\x24json"].email }}',
		'{{ "\\}}" + $data.email }}',
		'a {{ $json.name }} b {{ $data.email }}',
		'{{ $fromAI("x", "y)") + $data.email }}',
	])('%s reads more', (expression) => {
		for (const given of [
			{ toEmail: `=${expression}` },
			{ channelId: { __rl: true, mode: 'id', value: `=${expression}` } },
		]) {
			const refusal = refusalBy(() => call(given, []));
			expect(refusal.message).toMatch(/reads the whole input, or may/);
			expect(refusal.hint).toContain('$fromAI');
		}
	});
});

test.each(['$data.email', '{{ $data.email }}', '=costs $data {{ $json.id }}, about $5'])(
	'what is no code of an expression reads nothing: %s',
	(text) => {
		expect(() => call({ toEmail: text })).not.toThrow();
	},
);

test('the text is free', () => {
	expect(() => call({ text: '={{ $data.email }}' })).not.toThrow();
});

test.each(["{{ $('Webhook').item.json.email }}", "{{ $('Webhook').all()[$itemIndex].json.email }}"])(
	'for several items of the agent, an expression may not give the same for all of them: %s',
	(expression) => {
		const toEmail = `=${expression}`;
		expect(() => call({ toEmail }, [], 1)).not.toThrow();
		expect(refusalBy(() => call({ toEmail }, [], 2)).message).toMatch(/the same for all 2 items/);
		// It is not known how many there are.
		expect(refusalBy(() => call({ toEmail }, [], 0)).message).toMatch(/the same for all items/);
	},
);

test('where an agent makes the call itself, it may not read any field of several items', () => {
	const toEmail = '={{ $json.email }}';
	expect(() => call({ toEmail }, [], 2)).not.toThrow();
	expect(() => call({ toEmail }, [], 1, true)).not.toThrow();
	const { hint, message } = refusalBy(() => call({ toEmail }, [], 2, true));
	expect(message).toMatch(/the same for all 2 items/);
	expect(hint).toContain('Loop Over Items');
});
