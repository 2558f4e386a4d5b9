/** @jest-environment node */
import { explainFailure } from '../../harness/n8n/package-manager-failures.ts';

const context = {
	doing: 'installing n8n',
	folder: '/project/harness/n8n',
	log: '/project/.e2e/n8n-install.log',
	platform: 'linux',
} as const;

describe('a failed command of npm, or a failed build', () => {
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
		expect(explainFailure(output, { ...context, platform: 'win32' })).toContain('Visual Studio Build Tools');
	});
});

/** As pnpm 10 prints it (with thin spaces, see below), with what it warns of before it gives up. */
const retry = (code: string): string =>
	` WARN  GET https://registry.example/n8n/-/n8n-2.41.1.tgz error (${code}). Will retry in 1 seconds. 1 retries left.`;
const asked = 'request to https://registry.example/n8n/-/n8n-2.41.1.tgz failed, reason:';

describe('a failed command of pnpm', () => {
	it.each([
		[
			'a full disk under the packages',
			" ERR_PNPM_ENOSPC  [importPackage /project/harness/n8n/node_modules/n8n] ENOSPC: no space left on device, copyfile '/a' -> '/b'",
			/no disk space left/,
		],
		[
			'a full disk under the store',
			`${retry('ERR_PNPM_ENOSPC')}\n ERR_PNPM_ENOSPC  Failed to add tarball from "https://registry.example/n8n" to store: ENOSPC: no space left on device, write`,
			/no disk space left/,
		],
		[
			'no permission',
			" EACCES  EACCES: permission denied, mkdir '/project/harness/n8n/node_modules'\n\npnpm: EACCES: permission denied",
			/no permission to write in \/project\/harness\/n8n/,
		],
		[
			'a disk that is only read',
			" ERR_PNPM_ENOENT  [importPackage /project/harness/n8n/node_modules/n8n] ENOENT: no such file or directory, mkdir '/project/harness/n8n/node_modules'",
			/no permission to write in \/project\/harness\/n8n/,
		],
		[
			'no network',
			`${retry('ENOTFOUND')}\n ENOTFOUND  ${asked} getaddrinfo ENOTFOUND registry.example\n\nFetchError: ${asked} getaddrinfo ENOTFOUND`,
			/registry could not be reached \(ENOTFOUND\): check the network, the proxy/,
		],
		[
			'a registry, or a proxy, that refuses connections',
			`${retry('ECONNREFUSED')}\n ECONNREFUSED  ${asked} connect ECONNREFUSED 127.0.0.1:9`,
			/registry could not be reached \(ECONNREFUSED\)/,
		],
		[
			'a registry that never answers',
			`${retry('ERR_SOCKET_TIMEOUT')}\n ERR_SOCKET_TIMEOUT  ${asked} Socket timeout`,
			/registry could not be reached \(no answer\)/,
		],
		[
			'a registry that hangs up, without a lockfile',
			`${retry('ECONNRESET')}\n ERR_PNPM_META_FETCH_FAIL  GET https://registry.example/n8n: ${asked} socket hang up`,
			/registry could not be reached \(ECONNRESET\)/,
		],
		[
			'a certificate that nobody here trusts',
			`${retry('DEPTH_ZERO_SELF_SIGNED_CERT')}\n DEPTH_ZERO_SELF_SIGNED_CERT  ${asked} self-signed certificate; if the root CA is installed locally, try running Node.js with --use-system-ca`,
			/certificate .* is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\).*cafile/,
		],
		[
			'a certificate, without a lockfile',
			`${retry('SELF_SIGNED_CERT_IN_CHAIN')}\n ERR_PNPM_META_FETCH_FAIL  GET https://registry.example/n8n: ${asked} self-signed certificate in certificate chain`,
			/certificate .* is not trusted \(SELF_SIGNED_CERT_IN_CHAIN\)/,
		],
		[
			'a proxy that wants a login',
			`${retry('ERR_PNPM_FETCH_407')}\n ERR_PNPM_FETCH_407  GET https://registry.example/n8n: Proxy Authentication Required - 407`,
			/the proxy wants a login/,
		],
		[
			'a package that the registry lacks',
			' ERR_PNPM_FETCH_404  GET https://registry.example/n8n: Not Found - 404\n\nn8n is not in the npm registry, or you have no permission to fetch it.',
			/registry refused a package \(GET https:\/\/registry\.example\/n8n: Not Found - 404\)/,
		],
		[
			'a version that the registry lacks',
			' ERR_PNPM_NO_MATCHING_VERSION  No matching version found for n8n@0.0.0 while fetching it from https://registry.example/',
			/registry refused a package \(No matching version found for n8n@0\.0\.0/,
		],
		[
			'a registry that wants a login',
			' ERR_PNPM_FETCH_401  GET https://registry.example/n8n: Unauthorized - 401\n\nNo authorization header was set for the request.',
			/registry refused a package \(GET .* Unauthorized - 401\)/,
		],
		[
			'a registry out of order',
			`${retry('ERR_PNPM_FETCH_500')}\n ERR_PNPM_FETCH_500  GET https://registry.example/n8n: Internal Server Error - 500`,
			/registry refused a package \(GET .* Internal Server Error - 500\)/,
		],
		[
			'other contents than the lockfile names',
			`${retry('ERR_PNPM_TARBALL_INTEGRITY')}\n ERR_PNPM_TARBALL_INTEGRITY  Got unexpected checksum for "https://registry.example/n8n". Wanted "sha512-a". Got "sha512-b".`,
			/delivered a package with other contents than expected/,
		],
		[
			'a lockfile that does not fit',
			' ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile" because pnpm-lock.yaml is not up to date with <ROOT>/package.json\n\nNote that in CI environments',
			/pnpm-lock\.yaml is not up to date with <ROOT>\/package\.json\./,
		],
	])('is explained in one line: %s', (_what, output, expected) => {
		const thin = output.replace(/^ ([A-Z_0-9]+) {2}/gm, '\u2009$1\u2009 ');
		const line = explainFailure(`Packages: +1\n+\nProgress: resolved 1\n${thin}\n`, context);

		expect(line).toMatch(expected);
		expect(line).toMatch(/^Failed while installing n8n: .* The whole output is in \S+n8n-install\.log$/);
	});

	it('is not explained by what was repeated and went well then', () => {
		const output = `${retry('ECONNRESET')}\n ERR_PNPM_FETCH_404  GET https://registry.example/n8n: Not Found - 404`;

		expect(explainFailure(output, context)).toContain('refused a package');
	});

	it('shows no password of an address', () => {
		const output = ' ERR_PNPM_FETCH_404  GET https://me:secret@registry.example/n8n: Not Found - 404';

		expect(explainFailure(output, context)).toContain('GET https://registry.example/n8n');
	});
});
