/** What is refused before anything is sent, as n8n resolves the expressions, in both of its expression engines. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { errorOf, useLab } from './lab.mts';
import { expressionEngines } from './n8n-under-test.mts';

describe.each(expressionEngines)('in the engine "%s"', (expressions) => {
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
		[{ text: '={{ $json.o }} ' }, data, /"Text" shows an object, a date or a missing value as JavaScript/],
		[rows('=+49{{ $json.phone }}'), data, /is incomplete: \{\{ \$json\.phone \}\} finds nothing/],
		[rows('={{ "+49" + $json.phone }}'), data, /is incomplete: it is "\+49undefined"/],
		[
			{ inputMode: 'json', package: '={"content": {"text": "Hi", "to": {"phone": "+49{{ $json.phone }}"}}}' },
			data,
			/"Package > content > to > phone" is incomplete: \{\{ \$json\.phone \}\}/,
		],
		[{ text: '=Order {{ $json.a }}' }, {}, /nothing but its fixed text/],
		[{ text: `=Order {{ $('Start').item.json.a }} {{ $json.b }}` }, data, /nothing but its fixed text/],
	])('%j of an item with %j is refused', async (given, json, message) => {
		expect(await send(given, json)).toMatch(message);
	});

	test.each<[INodeParameters, IDataObject, object]>([
		[{ text: '={{ $json.text }}' }, { text: 'Write {{ $json.name }}' }, { text: 'Write {{ $json.name }}' }],
		[{ text: '=So: {{ $json.said }}' }, data, { text: 'So: [object Object]' }],
		[{ text: '={{ DateTime.fromISO($json.day).year }} {{ $json.a }}' }, data, { text: '2030 ' }],
		[inJson('={{ $json.to }}\n'), data, { to: { phone: '+49', type: 'PHONE' } }],
	])('%j of an item with %j is sent', async (given, json, content) => {
		expect(await send(given, json)).toMatchObject({ content });
	});
});
