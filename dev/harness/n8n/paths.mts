import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The project's root. npm scripts, and so the tests and the demo, run there. */
export const projectRoot = (): string => process.cwd();

/** The folder whose package.json names the n8n that the end-to-end tests and the demo run. */
export const n8nFolder = (root = projectRoot()): string => resolve(root, 'dev/harness/n8n');

/** The program that ends another one together with the process that started it. */
export const guardProgram = (root = projectRoot()): string => join(n8nFolder(root), 'guard.mts');

/** n8n's command line program inside an installed n8n folder. */
export const n8nProgram = (folder: string): string => join(folder, 'node_modules/n8n/bin/n8n');

/** The project's own package name and version. */
export const ownPackage = (root = projectRoot()): { name: string; version: string } => {
	const manifest = readJson(join(root, 'package.json'));
	return { name: String(manifest.name), version: String(manifest.version) };
};

/** A JSON file that holds an object. */
export function readJson(file: string): Record<string, unknown> {
	const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
	if (typeof value !== 'object' || value === null || Array.isArray(value)) {
		throw new Error(`${file} does not hold a JSON object`);
	}
	return value as Record<string, unknown>;
}
