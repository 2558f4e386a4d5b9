/** What is refused before anything is sent, as n8n resolves the expressions, in both of its expression engines. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { errorOf, useLab } from './lab.mts';
import { byId } from '../cases/values.mts';
import { n8nUnderTest } from './n8n-under-test.mts';
import type { ExpressionEngine } from './protocol.mts';

const engines: readonly ExpressionEngine[] = n8nUnderTest().lacks.includes('isolates')
	? ['legacy']
	: ['vm', 'legacy'];

describe.each(engines)('in the engine "%s"', (expressions) => {
	const lab = useLab({ expressions });

	/** Sends an item with these parameters in place of the usual ones: the error's message, or what is on the wire. */
	async function send(
		given: INodeParameters,
		json: IDataObject,
		more: INodeParameters = {},
	): Promise<unknown> {
		const parameters = { ...lab.send({}, { toEmail: 'ada@example.com', text: 'Hello', ...given }), ...more };
		const { main } = await lab.execute(parameters, {
			items: [json],
			settings: { onError: 'continueRegularOutput' },
		});
		const [item] = main[0];
		const [request] = await lab.requestsOf('message.send');
		if (item?.json['error'] === undefined) return request?.body;
		expect(request).toBeUndefined();
		expect(errorOf(item).outcome).toBe('unsent');
		return errorOf(item).message;
	}

	const data = { name: 'Ada', o: { a: 1 }, to: { phone: '+49' }, said: '[object Object]', day: '2030-01-01' };
	const rows = (value: string): INodeParameters => ({
		addressType: 'other',
		toType: 'PHONE',
		toRows: { values: [{ name: 'phone', value }] },
	});
	const inJson = (toFields: string): INodeParameters => ({
		addressType: 'other',
		toType: 'PHONE',
		toFieldsMode: 'json',
		toFields,
	});

	test.each<[INodeParameters, IDataObject, RegExp]>([
		[{ text: 'Hello {{ $json.name }}' }, data, /"Text" holds an expression, but is not in Expression mode/],
		[rows('{{ $json.phone }}'), data, /"To Fields > 1 > Value" holds an expression/],
		[{ options: { onceKey: '{{ $json.id }}' } }, data, /"Send Only Once Per" holds an expression/],
		[{ additionalFields: { correlationId: '{{$json.id}}' } }, data, /"Correlation ID" holds an expression/],
		[{ channelId: byId('{{ $json.id }}') }, data, /"Channel" holds an expression/],
		[{ text: '={{ $json.o }} ' }, data, /"Text" shows an object as \[object Object\]/],
		[{ text: '=So: {{ $json.name }} {{ $json.o }}' }, data, /\[object Object\]/],
		[{ text: '={{ "So: " + $json.o }}' }, data, /\[object Object\]/],
		[rows('=+49{{ $json.phone }}'), data, /is incomplete: \{\{ \$json\.phone \}\} finds nothing/],
		[rows('={{ "+" + $json.phone }}'), data, /is incomplete: it is "\+undefined"/],
		[rows('={{ "+49" + $json.phone }}'), data, /is incomplete: it is "\+49undefined"/],
		[inJson('={"phone": "+49{{ $json.phone }}"}'), data, /is incomplete: \{\{ \$json\.phone \}\}/],
		[inJson('={{ { phone: "+49" + $json.phone } }}'), data, /is incomplete: it is "\+49undefined"/],
		[
			{ inputMode: 'json', package: '={"content": {"text": "Hi", "to": {"phone": "+49{{ $json.phone }}"}}}' },
			data,
			/"Package > content > to > phone" is incomplete: \{\{ \$json\.phone \}\}/,
		],
		[{ toEmail: '={{ $json.email }}' }, data, /is empty: \{\{ \$json\.email \}\} finds nothing/],
		[{ channelId: byId('={{ $json.channel }}') }, data, /"Channel" is empty: \{\{ \$json\.channel \}\}/],
		[{ text: '=Order {{ $json.a }} of {{ $json.b }}' }, data, /nothing but its fixed text/],
		[{ text: '=Order {{ $json.a }}' }, {}, /nothing but its fixed text/],
		[{ text: `=Order {{ $('Start').item.json.a }} {{ $json.b }}` }, data, /nothing but its fixed text/],
	])('%j of an item with %j is refused', async (given, json, message) => {
		expect(await send(given, json)).toMatch(message);
	});

	test.each<[INodeParameters, IDataObject, object]>([
		[{ text: '={{ $json.text }}' }, { text: 'Write {{ $json.name }}' }, { text: 'Write {{ $json.name }}' }],
		[{ text: '=So: {{ $json.said }}' }, data, { text: 'So: [object Object]' }],
		[{ text: '={{ $json.said.trim() }} {{ $json.name }}' }, data, { text: '[object Object] Ada' }],
		[{ text: '=[object Object] {{ $json.name }}' }, data, { text: '[object Object] Ada' }],
		[{ text: '={{ DateTime.fromISO($json.day).year }} {{ $json.a }}' }, data, { text: '2030 ' }],
		[{ text: '=Dear {{ $json.a }} {{ $json.name }}' }, data, { text: 'Dear  Ada' }],
		[{ text: '=Order {{ $json.a }}' }, data, { text: 'Order ' }],
		[inJson('={{ $json.to }}\n'), data, { to: { phone: '+49', type: 'PHONE' } }],
		[rows('={{ $json.prefix }}{{ $json.to.phone }}'), data, { to: { phone: '+49', type: 'PHONE' } }],
		[{ toEmail: '=<mailto:{{ $json.name }}@example.com>;' }, data, { to: { email: 'Ada@example.com' } }],
	])('%j of an item with %j is sent', async (given, json, content) => {
		expect(await send(given, json)).toMatchObject({ content });
	});

	test('a lone expression that finds nothing in an optional ID means that it is not given', async () => {
		const body = await send({ additionalFields: { correlationId: '={{ $json.id }}' } }, data);
		expect(body).toMatchObject({ content: { text: 'Hello' } });
		expect(body).not.toHaveProperty('correlationId');
	});
});
