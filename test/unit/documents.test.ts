import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

import type { INodeProperties } from 'n8n-workflow';

import { MessagingApi } from '../../credentials/MessagingApi.credentials.ts';
import { Messaging } from '../../nodes/Messaging/Messaging.node.ts';
import { operations } from '../../nodes/Messaging/operations/index.ts';

/** What the documents promise, held against what is there. */

const root = process.cwd();
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const readme = read('README.md');
const manifest = JSON.parse(read('package.json')) as {
	name: string;
	version: string;
	repository: { url: string };
	scripts: Record<string, string>;
};

const markdownIn = (folder: string): string[] =>
	readdirSync(join(root, folder))
		.filter((name) => name.endsWith('.md'))
		.map((name) => join(folder, name));
const documents = [...markdownIn('.'), ...markdownIn('docs'), ...markdownIn('examples')];

/** A heading's anchor, as GitHub makes it. */
const anchorOf = (heading: string): string =>
	heading
		.toLowerCase()
		.replace(/[^\p{L}\p{N} _-]/gu, '')
		.replaceAll(' ', '-');

const anchorsIn = (path: string): string[] =>
	[...read(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));

/** Links and images that lead to another place of the project. */
const links = documents.flatMap((document) =>
	[...read(document).matchAll(/\]\(([^)\s]+)\)/g)]
		.map(([, target = '']) => target)
		.filter((target) => !/^[a-z]+:/.test(target))
		.map((target) => {
			const [path = '', anchor = ''] = target.split('#');
			return { document, path: path === '' ? document : normalize(join(dirname(document), path)), anchor };
		}),
);

/** The table of a section whose first column has this heading: its cells, without the two lines of its head. */
function tableIn(text: string, section: string, firstColumn: string): string[][] {
	const [, body = ''] = text.split(`\n## ${section}\n`);
	const lines = (body.split(/\n## /)[0] ?? '').split('\n');
	const head = lines.findIndex((line) => line.startsWith(`| ${firstColumn} `));
	if (head === -1) throw new Error(`No table of ${firstColumn} under ${section}`);
	const rows = lines.slice(head + 2);
	const end = rows.findIndex((line) => !line.startsWith('|'));
	return rows.slice(0, end === -1 ? undefined : end).map((line) =>
		line
			.split('|')
			.slice(1, -1)
			.map((cell) => cell.trim()),
	);
}

/** The resources by the names that the node's menu gives them. */
const resourceNames = Object.fromEntries(
	new Messaging().description.properties
		.filter(({ name }) => name === 'resource')
		.flatMap(({ options = [] }) => options)
		.map((option) => ['value' in option ? option.value : '', option.name]),
) as Record<string, string>;

describe('links', () => {
	test('lead to files and headings that are there', () => {
		const dead = links.filter(({ path, anchor }) => {
			if (!existsSync(join(root, path))) return true;
			return anchor !== '' && !anchorsIn(path).includes(anchor);
		});
		expect(dead).toStrictEqual([]);
		expect(links.length).toBeGreaterThan(10);
	});

	test('show every picture that is there', () => {
		const shown = new Set(links.map(({ path }) => path));
		const pictures = readdirSync(join(root, 'docs/images')).map((name) => join('docs/images', name));
		expect(pictures.filter((picture) => !shown.has(picture))).toStrictEqual([]);
		expect(pictures.length).toBeGreaterThan(0);
	});
});

describe('the README', () => {
	/** What an option has before anybody touches it, in words. */
	function defaultOf({ type, default: value, options = [] }: INodeProperties): string {
		if (type === 'boolean') return value === true ? 'on' : 'off';
		const choice = options.find((option) => 'value' in option && option.value === value);
		if (choice !== undefined) return choice.name;
		return typeof value === 'object' || value === '' ? 'none' : String(value);
	}

	test('lists all options, with the operations that have them and their defaults', () => {
		const having = new Map<string, { places: string[]; standard: string }>();
		for (const { resource, displayName, fields } of operations) {
			const all: readonly INodeProperties[] = fields;
			const collection = all.find(({ name }) => name === 'options');
			for (const option of collection?.options ?? []) {
				if (!('displayName' in option && 'type' in option)) throw new Error(`${option.name} is no option`);
				const known = having.get(option.displayName) ?? { places: [], standard: defaultOf(option) };
				known.places.push(`${resourceNames[resource]}: ${displayName}`);
				having.set(option.displayName, known);
			}
		}
		const expected = [...having].map(([option, { places, standard }]) => ({
			option,
			places: places.length === operations.length ? ['All'] : places.sort(),
			standard,
		}));
		const listed = tableIn(readme, 'Options', 'Option').map(
			([option = '', where = '', standard = '', meaning]) => {
				expect(meaning).not.toBe('');
				const places = where.split(/; ?/).flatMap((part) => {
					const [resource = '', names = ''] = part.split(': ');
					return names === '' ? [resource] : names.split(', ').map((name) => `${resource}: ${name}`);
				});
				return { option, places: places.sort(), standard };
			},
		);
		const byName = (one: { option: string }, other: { option: string }): number =>
			one.option.localeCompare(other.option);
		expect(listed.sort(byName)).toStrictEqual(expected.sort(byName));
	});

	test('lists all fields of the credential, and those that n8n adds', () => {
		const own = new MessagingApi().properties.map(({ displayName }) => displayName);
		const added = ['Allowed HTTP Request Domains', 'Allowed Domains'];
		expect(tableIn(readme, 'Credential', 'Field').map(([field]) => field)).toStrictEqual([...own, ...added]);
	});

	test('lists all operations', () => {
		let resource = '';
		const listed = tableIn(readme, 'Operations', 'Resource').map(([first = '', name = '']) => {
			resource = first === '' ? resource : first;
			return `${resource}: ${name}`;
		});
		const expected = operations.map((operation) => {
			return `${resourceNames[operation.resource]}: ${operation.displayName}`;
		});
		expect(listed.sort()).toStrictEqual(expected.sort());
	});

	test('has five failures at most, and leads to the others', () => {
		const rows = tableIn(readme, 'When something goes wrong', 'Situation');
		expect(rows.length).toBeGreaterThan(0);
		expect(rows.length).toBeLessThanOrEqual(5);
		expect(links).toContainEqual({ document: 'README.md', path: 'docs/failures.md', anchor: '' });
	});

	test('begins with a finished form', () => {
		const [first] = /!\[[^\]]*\]\([^)]*\)/.exec(readme) ?? [];
		expect(first).toContain('(docs/images/message-form.png)');
	});

	test('names the fields of an address of another kind as the form does', () => {
		const labels = operations
			.filter(({ resource, name }) => resource === 'message' && name === 'send')
			.flatMap(({ fields }) => fields.map(({ displayName }) => displayName));
		const rows = tableIn(readme, 'Other kinds of address', 'Field');
		const named = rows.map(([field = '']) => field.split(':')[0]);
		expect(named.length).toBeGreaterThan(0);
		expect(labels).toEqual(expect.arrayContaining(named));
	});

	test('installs what "npm pack" makes in a clone of this project', () => {
		const url = manifest.repository.url.replace(/^git\+/, '');
		expect(readme).toContain(`git clone ${url}\n`);
		expect(readme).toContain(` ./${manifest.name}-${manifest.version}.tgz\n`);
	});
});

test('the changelog says of every operation that it was added', () => {
	const added = [...read('CHANGELOG.md').matchAll(/^ *- ([^:\n]+): (.*)$/gm)].flatMap(
		([, resource, names = '']) => names.split(', ').map((name) => `${resource}: ${name}`),
	);
	const expected = operations.map(
		({ resource, displayName }) => `${resourceNames[resource]}: ${displayName}`,
	);
	expect(added).toEqual(expect.arrayContaining(expected));
});

test('every command of the project that a document names is there', () => {
	const named = documents.flatMap((document) =>
		[...read(document).matchAll(/npm run ([\w:]+)/g)].map(([, script = '']) => script),
	);
	expect(named.filter((script) => !(script in manifest.scripts))).toStrictEqual([]);
	expect(named.length).toBeGreaterThan(0);
});
