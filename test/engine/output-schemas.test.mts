/** The output schemas that the editor shows before a run, as they are in the package. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { hasSchema, outputSchemaOf, type OutputSchema, triggerSchema } from '../../api/output-schemas.mts';
import { operations } from '../../nodes/Messaging/operations/index.ts';
import { operationIds } from '../cases/index.mts';

const folder = join(process.cwd(), 'dist', 'nodes', 'Messaging', '__schema__', 'v1.0.0');

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

test.each(operations.filter(hasSchema))(
	'$resource.$name: the schema is one that the editor shows, with every field in words',
	(operation) => {
		const file = join(folder, operation.resource, `${operation.name}.json`);
		const shipped = JSON.parse(readFileSync(file, 'utf8')) as OutputSchema;
		// The editor accepts no schema without top-level properties.
		expect(shipped).toMatchObject({ type: 'object', version: 1 });
		expect(Object.keys(shipped.properties ?? {})).not.toHaveLength(0);
		expect(shipped).toEqual(outputSchemaOf(operation));
	},
);

test('the trigger has its own beside those of the operations', () => {
	expect(JSON.parse(readFileSync(`${folder}.json`, 'utf8'))).toEqual(triggerSchema());
});
