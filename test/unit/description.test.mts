import { readFileSync } from 'node:fs';
import type { INodeProperties, INodeTypeDescription } from 'n8n-workflow';

import { MessagingApi } from '../../credentials/MessagingApi.credentials.ts';
import { Messaging } from '../../nodes/Messaging/Messaging.node.ts';
import { MessagingTrigger } from '../../nodes/Messaging/MessagingTrigger.node.ts';
import { findOperation, operations } from '../../nodes/Messaging/operations/index.ts';
import { contractFile, savedWorkflows } from '../contract/saved-workflows.mts';

const { description, methods } = new Messaging();
const { description: trigger, methods: triggerMethods } = new MessagingTrigger();
const credential = new MessagingApi();

/** A parameter and where it is described. */
interface Placed {
	place: string;
	property: INodeProperties;
	/** When it is shown: its own conditions, and those of the parameters around it. */
	shown: string;
}

/** The parameters and those nested in them, at any depth. */
function allOf(properties: readonly INodeProperties[], place: string, around = ''): Placed[] {
	return properties.flatMap((property) => {
		const shown = `${around} ${JSON.stringify(property.displayOptions ?? {})}`;
		const here = { place: `${place} > ${property.name}`, property, shown };
		const inside = (property.options ?? []).flatMap((option) => {
			if ('values' in option) return allOf(option.values, `${here.place} > ${option.name}`, shown);
			return 'type' in option ? allOf([option], here.place, shown) : [];
		});
		return [here, ...inside];
	});
}

const placed = [
	...operations.flatMap(({ resource, name, fields }) => allOf(fields, `${resource}.${name}`)),
	...allOf(
		trigger.properties.filter(({ type }) => type !== 'hidden'),
		'trigger',
	),
	...allOf(credential.properties, 'credential'),
];
const choices = placed.flatMap(({ place, property }) =>
	(property.options ?? []).flatMap((option) =>
		'value' in option ? [{ place, type: property.type, ...option }] : [],
	),
);

/** Each word begins with a capital or a digit, except short words inside. */
const isTitleCase = (label: string) =>
	/^[A-Z0-9]\S*( (\(?[A-Z0-9]\S*|a|an|and|as|by|for|from|in|of|on|or|the|to))*$/.test(label);

describe('the words in the editor', () => {
	/** What holds for each parameter, at any depth. */
	const rules: Record<string, (property: INodeProperties) => boolean> = {
		'labels are in Title Case': ({ displayName }) => isTitleCase(displayName),
		'all but collections, forms and rows are described': ({ description: text, name, type }) =>
			['collection', 'resourceMapper'].includes(type) ||
			['name', 'value'].includes(name) ||
			(text ?? '') !== '',
		'descriptions begin with a capital, switches with "Whether"': ({ description: text = 'X', type }) =>
			(type === 'boolean' ? /^Whether / : /^[A-Z]/).test(text),
		'a description of one sentence has no full stop': ({ description: text = 'X' }) =>
			/\. [A-Z0-9]/.test(text) === text.endsWith('.'),
		'placeholders of text give an example, or say where the value comes from': (property) =>
			[property, ...(property.modes ?? [])].every(
				({ placeholder = '', type }) => type !== 'string' || /^(e\.g\. |Drag |Found )/.test(placeholder),
			),
	};

	test.each(Object.entries(rules))('%s', (_rule, holds) => {
		expect(placed.filter(({ property }) => !holds(property)).map(({ place }) => place)).toStrictEqual([]);
	});

	test('choices and operations have labels in Title Case, and choices of menus are described', () => {
		const labels = [...choices.map(({ name }) => name), ...operations.map(({ displayName }) => displayName)];
		expect(labels.filter((label) => !isTitleCase(label))).toStrictEqual([]);
		const described = choices.filter(({ type }) => type === 'options');
		expect(described.filter((choice) => (choice.description ?? '') === '')).toStrictEqual([]);
	});

	test('each operation says what it does, in sentence case', () => {
		for (const { action, description: text } of operations) {
			expect(action).toMatch(/^[A-Z][a-z]+( ([a-z]+|API))+$/);
			expect(text).toMatch(/^[A-Z]/);
		}
	});

	test('names of parameters are unique in their place', () => {
		// A parameter may be described more than once if it is shown in different cases.
		const places = placed.map(({ place, shown }) => place + shown);
		expect(places.filter((place, index) => places.indexOf(place) !== index)).toStrictEqual([]);
	});

	// The linter for nodes can't read menus that are made. As it does, this skips lists with fewer than five choices.
	test('menus, members of collections and long lists are sorted, with the default of a menu first', () => {
		const menus = description.properties.filter(({ name }) => name === 'resource' || name === 'operation');
		expect(menus).toHaveLength(7);
		for (const { name, default: first, options = [], type } of [
			...menus,
			...placed.map(({ property }) => property),
		]) {
			const labels = options.map((option) => ('displayName' in option ? option.displayName : option.name));
			const isLong =
				labels.length > 4 || type === 'collection' || name === 'operation' || name === 'resource';
			const sorted = isLong ? labels.toSorted((one, other) => one.localeCompare(other)) : labels;
			// What keeps things from being sent twice stands first.
			const once = ['Answer Each Message Once', 'Send Only Once Per', 'Create Only Once Per'];
			sorted.sort((one, other) => Number(once.includes(other)) - Number(once.includes(one)));
			const isMenu = ['resource', 'operation'].includes(name);
			const selected = options.find((option) => isMenu && 'value' in option && option.value === first)?.name;
			sorted.sort((one, other) => Number(other === selected) - Number(one === selected));
			expect({ name, labels }).toStrictEqual({ name, labels: sorted });
		}
	});
});

describe.each([
	['node', description],
	['trigger', trigger],
])('the hidden fields of the %s, which show it what n8n would drop', (_name, { properties }) => {
	const hidden = properties.filter(({ type }) => type === 'hidden');
	const seen = properties.filter(({ type }) => type !== 'hidden');

	test('come last, so that n8n hands a collection over as it is saved, and who searches finds the real fields', () => {
		expect(properties.slice(-hidden.length)).toStrictEqual(hidden);
		const collections = seen.filter(({ type }) => ['collection', 'fixedCollection'].includes(type));
		expect(hidden.map(({ name }) => name)).toEqual(
			expect.arrayContaining([...new Set(collections.map(({ name }) => name))]),
		);
		const found = (word: string) => {
			const texts = properties.map((property) => JSON.stringify(property).toLowerCase());
			return properties[texts.findIndex((text) => text.includes(word.toLowerCase()))]?.type;
		};
		for (const { property } of allOf(seen, '')) {
			expect([found(property.name), found(property.displayName)]).not.toContain('hidden');
		}
	});

	test('have the default of the field of the same name, which n8n takes from the last one', () => {
		for (const { name, default: standard, type, noDataExpression } of seen) {
			const twin = hidden.find((each) => each.name === name);
			// One that is hidden where the field is shown gives nothing there.
			if (twin === undefined || twin.displayOptions !== undefined) continue;
			expect(twin.default).toStrictEqual(
				type === 'resourceLocator' ? { __rl: true, ...(standard as object) } : standard,
			);
			expect(twin.noDataExpression).toBe(noDataExpression);
		}
	});
});

test('a model that reads only the first required fields reads those of a message', () => {
	const first = description.properties.filter(({ required }) => required === true).slice(0, 10);
	expect(first.every(({ displayOptions }) => displayOptions?.show?.['resource']?.[0] === 'message')).toBe(
		true,
	);
});

describe.each(['options', 'additionalFields', 'rareFields'])('%s, which operations share', (collection) => {
	const [shared, ...others] = description.properties.filter(
		({ name, type }) => name === collection && type === 'collection',
	);

	test('are described once', () => {
		expect(others).toEqual([]);
		const texts = (shared?.options ?? []).map((option) => JSON.stringify({ ...option, displayOptions: 0 }));
		// A field that another one hides is another field.
		const twice = texts.filter(
			(text, index) => texts.indexOf(text) !== index && !text.includes('whenUnknown'),
		);
		expect(twice.filter((text) => text.includes('"timeout"') || text.includes('"correlationId"'))).toEqual(
			[],
		);
	});

	test.each(operations)('has for $resource $name what the operation has', ({ resource, name, fields }) => {
		const own = fields.filter((field) => field.name === collection).flatMap(({ options = [] }) => options);
		const place: Record<string, string> = {
			resource,
			operation: name,
			'/resource': resource,
			'/operation': name,
		};
		const isShown = (property: object): boolean => {
			const { displayOptions } = property as INodeProperties;
			return Object.entries(displayOptions?.show ?? {}).every(
				([path, values]) => place[path] === undefined || values?.includes(place[path]) === true,
			);
		};
		const shown = shared !== undefined && isShown(shared) ? (shared.options ?? []).filter(isShown) : [];
		const said = (option: object) => JSON.stringify({ ...option, displayOptions: undefined });
		expect(shown.map(said).sort()).toStrictEqual(own.filter(isShown).map(said).sort());
	});
});

const locators = placed.filter(({ property }) => property.type === 'resourceLocator');

test.each(locators)(
	'the locator $place offers a searchable list, then a name if it is in a list, then an id',
	({ place, property }) => {
		const [list, ...typed] = property.modes ?? [];
		expect(list).toMatchObject({ name: 'list', type: 'list', typeOptions: { searchable: true } });
		const { listSearch } = place.startsWith('trigger ') ? triggerMethods : methods;
		expect(Object.keys(listSearch)).toContain(list?.typeOptions?.searchListMethod);
		// A channel type is its name. Channels and accounts are found by theirs.
		const named = ['channelId', 'feedbackChannelId', 'accountId'].includes(property.name);
		const modes = property.name === 'channelType' ? ['name'] : named ? ['name', 'id'] : ['id'];
		expect(typed.map(({ name, type }) => ({ name, type }))).toStrictEqual(
			modes.map((name) => ({ name, type: 'string' })),
		);
		expect(property.default).toStrictEqual({ mode: 'list', value: '' });
		// n8n runs it before the node, in 250 ms or not at all: on a busy machine the execution ends with nothing sent.
		for (const mode of [list, ...typed]) expect(mode).not.toHaveProperty('validation');
	},
);

// n8n's search matches letters in order in the name and each alias; matches of a whole word come first.
test.each([
	[
		'Messaging',
		description,
		['whatsapp', 'sms', 'e-mail', 'email', 'send email', 'send sms', 'chat', 'messaging', 'approval'],
	],
	[
		'MessagingTrigger',
		trigger,
		['messaging', 'channel', 'offline', 'disconnected', 'alert', 'alarm', 'monitor'],
	],
] as const)('the node panel finds %s', (file, { displayName }, searches) => {
	const codex = JSON.parse(readFileSync(`nodes/Messaging/${file}.node.json`, 'utf8')) as { alias: string[] };
	const words = [displayName, ...codex.alias].map((word) => word.toLowerCase());
	expect(searches.filter((search) => !words.some((word) => word.includes(search)))).toStrictEqual([]);
});

test('the node panel lists the node that asks people under Human in the loop', () => {
	const codex: unknown = JSON.parse(readFileSync('nodes/Messaging/Messaging.node.json', 'utf8'));
	expect(codex).toMatchObject({
		categories: ['Communication', 'HITL'],
		subcategories: { HITL: ['Human in the Loop'] },
	});
});

describe('the contract with saved workflows', () => {
	test(`is what ${contractFile} holds: "npm run contract" writes it anew, and changes workflows that people have`, () => {
		const frozen: unknown = JSON.parse(readFileSync(contractFile, 'utf8'));
		expect(JSON.parse(JSON.stringify(savedWorkflows(description, trigger, credential)))).toStrictEqual(
			frozen,
		);
	});

	test.each([
		['create', 'channelType.value'],
		['updateParameters', 'channelId.value'],
	])('channel.%s: the form is made anew when %s changes', (operation, source) => {
		const form = findOperation('channel', operation)?.fields.find(({ type }) => type === 'resourceMapper');
		expect(form?.typeOptions?.loadOptionsDependsOn).toStrictEqual([source]);
	});

	test('older versions of n8n find their way: what a field depends on stands beside it or is rooted', () => {
		const names = new Set(description.properties.map(({ name }) => name));
		const dependencies = description.properties.flatMap(({ displayOptions = {} }) =>
			Object.values(displayOptions).flatMap((rule) => Object.keys(rule as object)),
		);
		const unknown = dependencies.filter((name) => !/^[/@]/.test(name) && !names.has(name));
		expect(unknown).toStrictEqual([]);
		// n8n limits the time of a pattern match: on a busy server it would fail the workflow.
		const rules = description.properties.map(({ displayOptions }) => displayOptions);
		expect(JSON.stringify(rules)).not.toContain('regex');
	});

	test('the trigger has no address: it polls', () => {
		expect(trigger).toMatchObject({ polling: true, group: ['trigger'] });
		expect(trigger).not.toHaveProperty('webhooks');
	});

	test('the nodes and their credential keep what users see of them', () => {
		const credentials = [{ name: 'messagingApi', required: true, testedBy: 'testCredential' }];
		expect(description).toMatchObject({ displayName: 'Unified Messaging', credentials });
		expect(trigger).toMatchObject({ displayName: 'Unified Messaging Trigger', inputs: [], credentials });
		expect(credential.displayName).toBe('Unified Messaging API');
		const [, apiKey] = credential.properties;
		expect(apiKey).toMatchObject({ name: 'apiKey', typeOptions: { password: true } });
		expect(apiKey?.placeholder).toMatch(/acc_.*org_/);
		expect(credential.authenticate).toBeInstanceOf(Function);
		// n8n uses the credential's own test if there is one, and would not call the nodes'.
		expect(credential).not.toHaveProperty('test');
		for (const { credentialTest } of [methods, triggerMethods]) {
			expect(credentialTest).toHaveProperty('testCredential');
		}
	});
});

describe('under a node, the editor says in words', () => {
	/** What n8n shows for parameters: the one expression of the subtitle. */
	const shownFor = ({ subtitle = '' }: INodeTypeDescription, parameters: object): unknown => {
		const [, code = ''] = /^=\{\{((?:(?!\}\}).)*)\}\}$/s.exec(subtitle) ?? [];
		return (new Function('$parameter', `return ${code}`) as (given: object) => unknown)(parameters);
	};

	test.each(operations)('what $resource $name does', ({ resource, name, action }) => {
		expect(shownFor(description, { resource, operation: name })).toBe(action);
	});

	test('which events start the workflow', () => {
		const events = ['channelConnected', 'feedbackChannelChanged'];
		expect(shownFor(trigger, { events })).toBe('channel connected, feedback channel changed');
	});
});
