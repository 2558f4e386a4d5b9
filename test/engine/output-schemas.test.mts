/** The output schemas that the editor shows before a run, compared with the real output. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { endpointOf, isShown } from '../../api/interface.mts';
import { hasSchema, outputSchemaOf, type OutputSchema, triggerSchema } from '../../api/output-schemas.mts';
import { readWorld } from '../../dev/harness/world.mts';
import { findOperation, operations } from '../../nodes/Messaging/operations/index.ts';
import { cases, endpointIdOf, idsWhere, operationIds, scenarios, type OperationId } from '../cases/index.mts';
import { allEvents } from '../unit/trigger/watching.mts';
import { useLab } from './lab.mts';

const lab = useLab();
const folder = join(process.cwd(), 'dist', 'nodes', 'Messaging', '__schema__', 'v1.0.0');
const ajv = new Ajv({ strict: false, allErrors: true });

/** Scenarios with immediate output: an operation that waits has output only after the answer. */
const ending = scenarios.filter(
	({ id }) => !cases[id].traits.some((trait) => ['any endpoint', 'waits'].includes(trait)),
);

/** The schema that n8n finds in the package, for the editor's default parameters. */
function shipped(id: OperationId): OutputSchema {
	const [resource = '', name = ''] = id.split('.');
	return JSON.parse(readFileSync(join(folder, resource, `${name}.json`), 'utf8')) as OutputSchema;
}

/** The schema for the form of record that the parameters ask for. */
function schemaFor(id: OperationId, { simplify, options }: INodeParameters): OutputSchema {
	const operation = findOperation(...(id.split('.') as [string, string]));
	if (operation === undefined) throw new Error(`There is no operation ${id}`);
	const isSimple = (options as INodeParameters | undefined)?.['simplify'];
	return outputSchemaOf(operation, {
		...(simplify !== undefined && { simplify }),
		...(isSimple !== undefined && { options: { simplify: isSimple } }),
	});
}

/**
 * Checks output items. Any field may be null or missing, since the service may leave it out.
 *
 * @param open whether extra top-level fields are allowed: fields that the API does not show
 */
function checkOf({ version: _, ...schema }: OutputSchema, open: boolean): ValidateFunction {
	return ajv.compile(tolerant(schema, open));
}

function tolerant({ type, properties, items }: OutputSchema, open: boolean): object {
	const members = Object.entries(properties ?? {}).map(([name, of]) => [name, tolerant(of, false)]);
	return {
		type: [type, 'null'],
		...(properties && { properties: Object.fromEntries(members), additionalProperties: open }),
		...(items && { items: tolerant(items, false) }),
	};
}

/** Everything in the items that the schema lacks. */
function objections(schema: OutputSchema, open: boolean, items: readonly IDataObject[]): string[] {
	const check = checkOf(schema, open);
	return items.flatMap((item) => {
		if (check(item)) return [];
		return (check.errors ?? []).map(({ instancePath, message, params }) =>
			[instancePath, message, JSON.stringify(params)].join(' '),
		);
	});
}

test('there is a schema for each operation, and nothing else', () => {
	const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
		entry.isFile(),
	);
	const inResources = files
		.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
		.sort();
	expect(inResources).toEqual(
		operations
			.filter(hasSchema)
			.map(({ resource, name }) => join(resource, `${name}.json`))
			.sort(),
	);
	expect(operationIds).toHaveLength(operations.length);
});

test.each(idsWhere(({ traits }) => !traits.includes('any endpoint')))(
	'%s: the schema is one that the editor shows, with every field in words',
	(id) => {
		// The editor accepts no schema without top-level properties.
		expect(shipped(id)).toMatchObject({ type: 'object', version: 1 });
		expect(Object.keys(shipped(id).properties ?? {})).not.toHaveLength(0);
		expect(shipped(id)).toEqual(schemaFor(id, {}));
	},
);

describe.each(ending)('$title', ({ prepare, id, resource, operation }) => {
	test('comes out as its schema says', async () => {
		const { items, parameters } = await prepare(await readWorld(lab.client, lab));
		const run = await lab.execute({ resource, operation, ...parameters }, { items: [...items] });

		expect(run.status).toBe('success');
		expect(run.json).not.toHaveLength(0);
		const open = !isShown(endpointOf(endpointIdOf(id)));
		expect(objections(schemaFor(id, parameters), open, run.json)).toEqual([]);
	});
});

test.each(ending.filter(({ id }) => !isShown(endpointOf(endpointIdOf(id)))))(
	'$title: of an empty answer there comes out nothing that the schema has not',
	async ({ prepare, id, resource, operation }) => {
		const { items, parameters } = await prepare(await readWorld(lab.client, lab));
		const { template, method } = endpointOf(endpointIdOf(id));
		const path = `^${template.replace(/\{\w+\}/g, '[^/]+')}$`;
		await lab.client.setFaults([{ kind: 'reply', method: method as 'GET', path, body: null }]);
		const run = await lab.execute({ resource, operation, ...parameters }, { items: [...items] });

		expect(run.status).toBe('success');
		expect(run.json).not.toHaveLength(0);
		expect(objections(schemaFor(id, parameters), false, run.json)).toEqual([]);
	},
);

describe('the trigger', () => {
	test('has the schema that n8n finds beside those of the operations', () => {
		const text = readFileSync(`${folder}.json`, 'utf8');
		expect(JSON.parse(text)).toEqual(triggerSchema());
	});

	test('tells of a channel as its schema says, whatever happened to it', async () => {
		const parameters = { events: [...allEvents], options: { firstPoll: 'report' } };
		const poll = await lab.engine.activate(parameters, lab.credential);
		const [first] = (await poll()) ?? [];
		await lab.client.changeChannel(lab.channelId('Support E-mail'), {
			isConnected: false,
			channelStatusId: 3,
		});
		const [then] = (await poll()) ?? [];
		const items = [...(first ?? []), ...(then ?? [])].map(({ json }) => json);
		expect(new Set(items.map(({ event }) => event)).size).toBeGreaterThanOrEqual(4);
		expect(objections(triggerSchema(), false, items)).toEqual([]);
	});
});
