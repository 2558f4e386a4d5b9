import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { useLab } from './lab.ts';
import { shapes } from './shapes/index.ts';

const lab = useLab();

interface Endpoint {
	method: string;
	path: string;
	operationId: string;
}

/** The endpoints of the interface description. */
function endpoints(): Endpoint[] {
	const { paths } = parse(readFileSync(join(process.cwd(), 'api', 'openapi.yaml'), 'utf8')) as {
		paths: Record<string, Record<string, { operationId?: string }>>;
	};
	return Object.entries(paths).flatMap(([path, methods]) =>
		Object.entries(methods).flatMap(([method, { operationId }]) =>
			operationId === undefined ? [] : [{ method: method.toUpperCase(), path, operationId }],
		),
	);
}

/** A path with its parameters, as a pattern. */
function patternOf(path: string): RegExp {
	return new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`);
}

test('every endpoint of the interface has an operation in the node, and the other way round', async () => {
	const [loaded] = await lab.engine.describe();
	const properties = loaded?.nodes.find(({ name }) => name === 'messaging')?.properties ?? [];
	const offered = properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ options = [], displayOptions }) =>
			options.map((option) =>
				'value' in option ? `${String(displayOptions?.show?.['resource']?.[0])}.${String(option.value)}` : '',
			),
		);

	const described = endpoints().map(({ operationId }) => operationId);
	expect([...offered].sort()).toEqual([...described].sort());
	expect(offered).toHaveLength(14);
});

test.each(endpoints())('$operationId goes out as $method $path', async ({ method, path, operationId }) => {
	const ofOperation = shapes.filter((shape) => shape.operationId === operationId);
	expect(ofOperation.length).toBeGreaterThan(0);

	for (const { prepare } of ofOperation) {
		await lab.reset();
		const { items, parameters } = await prepare(lab);
		await lab.execute(parameters, { items });

		const received = await lab.requestsOf(operationId);
		expect(received.length).toBeGreaterThan(0);
		for (const request of received) {
			expect(request.method).toBe(method);
			expect(request.path).toMatch(patternOf(path));
			expect(request.problems).toEqual([]);
		}
	}
});
