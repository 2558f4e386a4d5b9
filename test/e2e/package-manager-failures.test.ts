/** @jest-environment node */
import { explainFailure } from '../../harness/n8n/package-manager-failures.ts';

const context = {
	doing: 'installing n8n',
	folder: '/project/harness/n8n',
	log: '/project/.e2e/n8n-install.log',
	headers: true,
	platform: 'linux',
} as const;

describe('a failed npm command', () => {
	it.each([
		[
			'a full disk',
			'npm error code ENOSPC\nnpm error nospc ENOSPC: no space left on device, write',
			/no disk space/,
		],
		['no permission', 'npm error code EACCES\nnpm error syscall mkdir', /no permission to write/],
		[
			'no Python',
			'gyp ERR! find Python - "python3" is not in PATH or produced an error',
			/Python 3 is missing/,
		],
		['no make', 'gyp ERR! stack Error: not found: make', /"make" is missing/],
		[
			'no compiler',
			'make: g++: No such file or directory\ngyp ERR! build error',
			/C\+\+ compiler is missing/,
		],
		[
			'no headers',
			'fatal error: node.h: No such file or directory\ngyp ERR! build error',
			/headers of Node 24/,
		],
		[
			'no network',
			'npm error code ENOTFOUND\nnpm error network request failed',
			/registry could not be reached \(ENOTFOUND\)/,
		],
		[
			'a package that the registry lacks',
			'npm error code E404\nnpm error 404 Not Found - GET https://registry.example/n8n',
			/registry refused a package \(404 Not Found/,
		],
		['anything else', 'npm error code EWEIRD\nnpm error The sky is green', /The sky is green/],
	])('is explained in one line: %s', (_what, output, expected) => {
		const line = explainFailure(output, context);

		expect(line).toMatch(expected);
		expect(line).toMatch(
			/^Failed while installing n8n: .* The whole output is in \/project\/\.e2e\/n8n-install\.log$/,
		);
	});

	it('names the packages to install for native builds, on each system', () => {
		const output = 'gyp ERR! stack Error: not found: make';

		expect(explainFailure(output, context)).toContain('apt-get install python3 make g++');
		expect(explainFailure(output, { ...context, platform: 'darwin' })).toContain('xcode-select --install');
		expect(explainFailure(output, { ...context, platform: 'win32' })).toContain(
			'Visual Studio Build Tools',
		);
	});
});
