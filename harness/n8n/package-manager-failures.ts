/** What a person needs to know to read why a command of npm or pnpm failed. */
export interface FailureContext {
	/** What was being done, such as "installing n8n". */
	readonly doing: string;
	/** The folder in which it was done. */
	readonly folder: string;
	/** Where the whole output is. */
	readonly log: string;
	readonly platform: NodeJS.Platform;
}

/**
 * Says in one line why npm, pnpm or a native build failed and what to do. The first cause that is recognised wins; the
 * order matters, since a full disk or a dead network breaks a native build too.
 */
export function explainFailure(output: string, context: FailureContext): string {
	const last = lastWord(output);
	const cause = causes.find(
		({ code, sign }) => code?.test(last.code) === true || sign?.test(output) === true,
	);
	const why = cause === undefined ? sentence(last.message) : cause.say(last, context);
	return `Failed while ${context.doing}: ${why} The whole output is in ${context.log}`;
}

/** What npm or pnpm gives as the reason in the end. */
interface LastWord {
	/** Such as ENOTFOUND, E404 (npm) or FETCH_404 (pnpm, without the "ERR_PNPM_" in front); empty when there is none. */
	readonly code: string;
	readonly message: string;
}

/** The last word of what was stopped, because nothing came any more. */
const noAnswer: LastWord = { code: 'FETCH_ERROR', message: '' };

function lastWord(output: string): LastWord {
	if (/^Stopped after .* without a word\.$/m.test(output)) return noAnswer;
	const lines = output.split('\n').map((line) => line.trimEnd());
	const npm = /^npm (?:ERR!|error) code (\S+)/m.exec(output)?.[1];
	// It sets its codes between thin spaces. What it warns of goes on. Its own codes, node's and what broke the connection look alike.
	const pnpm = lines
		.map((line) => /^\s?(?:ERR_PNPM_)?([A-Z][A-Z0-9_]+)\s{2}(\S.*)$/.exec(line))
		.findLast((found) => found !== null && found[1] !== 'WARN');
	if (npm === undefined && pnpm?.[1] !== undefined) {
		// No metadata: why, only the warnings before it say with a code.
		const reason = output.match(/ error \((?:ERR_PNPM_)?(\w+)\)\. Will retry/g)?.at(-1);
		const code = pnpm[1] === 'META_FETCH_FAIL' ? /\((?:ERR_PNPM_)?(\w+)\)/.exec(reason ?? '')?.[1] : pnpm[1];
		return { code: code ?? pnpm[1], message: pnpm[2] ?? '' };
	}
	// As Node.js itself says what the system refused, to node-gyp or to this program.
	const system = /^(?:gyp ERR! stack )?Error: (E[A-Z]+): (.+)$/m.exec(output);
	if (npm === undefined && system?.[1] !== undefined) return { code: system[1], message: system[2] ?? '' };
	const said = lines.map((line) => line.replace(/^npm (ERR!|error)\s*/, '').trim()).filter(Boolean);
	const telling = lines
		.filter((line) => /^npm (ERR!|error) /.test(line) && !/complete log of this run|code |\.log$/.test(line))
		.map((line) => line.replace(/^npm (ERR!|error)\s*/, '').trim())
		.find(Boolean);
	return { code: npm ?? '', message: telling ?? said.at(-1) ?? 'nothing was said' };
}

/** A part of a line, short and without the password that an address may hold. */
const short = (text: string): string => text.replace(/\/\/[^/@\s]+@/g, '//').slice(0, 300);

const sentence = (text: string): string => `${short(text)}.`.replace(/\.\.$/, '.');

/** The codes that say that there was no answer. */
const unreachable =
	/^(ENOTFOUND|EAI_[A-Z]+|ECONN[A-Z]+|E[A-Z]*TIMEDOUT|E[A-Z]+TIMEOUT|ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL|EPROTO|ERR_SOCKET_TIMEOUT|ERR_SSL_[A-Z_]+|FETCH_ERROR|META_FETCH_FAIL)$/;

/** The codes that say that the certificate of whoever answered is not trusted. */
const untrusted =
	/^(CERT_[A-Z_]+|DEPTH_ZERO_[A-Z_]+|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_[A-Z_]+|ERR_TLS_CERT_[A-Z_]+)$/;

/**
 * Says that the registry can't be reached, and what to look at.
 *
 * @param output what npm printed, or `timeout` when it was stopped before it got an answer
 * @returns null when npm says that it got an answer, or nothing about it
 */
export function registryProblem(output: string): string | null {
	const last = output === 'timeout' ? noAnswer : lastWord(output);
	return registryCauses.find(({ code }) => code.test(last.code))?.say(last) ?? null;
}

const registryCauses: ReadonlyArray<{ code: RegExp; say: (last: LastWord) => string }> = [
	{
		code: unreachable,
		say: ({ code }) => {
			// What a request is called that took too long.
			const cause = /^(FETCH_ERROR|ERR_SOCKET_TIMEOUT|META_FETCH_FAIL)$/.test(code) ? 'no answer' : code;
			return `the npm registry could not be reached (${cause}): check the network, the proxy and "npm config get registry".`;
		},
	},
	{
		code: untrusted,
		say: ({ code }) =>
			`the certificate of the npm registry, or of a proxy before it, is not trusted (${code}): set NODE_EXTRA_CA_CERTS or "npm config set cafile" to the file of the certificate authority that made it, or check "npm config get registry".`,
	},
	{
		code: /^(FETCH_407|E407)$/,
		say: () => 'the proxy wants a login: put it into "npm config get https-proxy".',
	},
];

const causes: ReadonlyArray<{
	/** How the last word's code looks. */
	code?: RegExp;
	/** What stands anywhere in the output. */
	sign?: RegExp;
	say: (last: LastWord, context: FailureContext) => string;
}> = [
	{
		code: /^(ENOSPC|EDQUOT)$/,
		sign: /no space left on device|disk quota exceeded/i,
		say: (_last, { folder }) =>
			`no disk space left (${folder}, or the cache): free about 3 GB and run it again.`,
	},
	{
		code: /^(EACCES|EPERM|EROFS)$/,
		// What pnpm makes of a file system that can't be written to.
		sign: /^\s?ERR_PNPM_ENOENT\s{2}.* mkdir /m,
		say: (_last, { folder }) => `no permission to write in ${folder} or in the cache.`,
	},
	{
		sign: /gyp ERR! find Python|Could not find any Python|python3?: (command )?not found/i,
		say: (_last, { platform }) =>
			`a native module has to be built and Python 3 is missing. ${buildTools(platform)}`,
	},
	{
		sign: /not found: make\b|make: (command )?not found|spawn make ENOENT/i,
		say: (_last, { platform }) =>
			`a native module has to be built and "make" is missing. ${buildTools(platform)}`,
	},
	{
		sign: /(g\+\+|c\+\+|clang\+\+|cc1plus|\bcc|gcc)['’]?: (No such file|command not found|not found)|No Xcode or CLT|find VS\b.*(not found|could not)/i,
		say: (_last, { platform }) =>
			`a native module has to be built and the C++ compiler is missing. ${buildTools(platform)}`,
	},
	{
		sign: /node(_api)?\.h: No such file|nodedir.*(not found|no such)|common\.gypi not found/i,
		say: () =>
			'the C++ headers of Node 24 are missing in node_modules: delete node_modules, run "npm install" again.',
	},
	...registryCauses,
	{
		code: /^(TARBALL_INTEGRITY|EINTEGRITY)$/,
		say: () =>
			'the npm registry, or a proxy before it, delivered a package with other contents than expected: check "npm config get registry".',
	},
	{
		code: /^(E401|E403|E404|ETARGET|E5\d\d|FETCH_\d+|NO_MATCHING_VERSION|BROKEN_METADATA_JSON)$/,
		say: ({ message }) =>
			`the npm registry refused a package (${short(message)}): check "npm config get registry".`,
	},
	{
		// node-gyp goes to the network for nothing else, and nothing else that is explained here has a limit.
		sign: /^gyp ERR! stack (FetchError: |Error: (\d+ response downloading|TAR_|This is most likely not a problem with node-gyp))|^Stopped after [\d.]+ s\.$/m,
		say: () =>
			'a native module has to be built, and the C++ headers of Node 24 for it could not be fetched, neither from the npm registry nor from nodejs.org: check the network and the proxy.',
	},
	{
		sign: /gyp ERR!/,
		say: (_last, { platform }) => `a native module could not be built. ${buildTools(platform)}`,
	},
];

/** How to get what native modules are built with. */
function buildTools(platform: NodeJS.Platform): string {
	if (platform === 'darwin') return 'Install the build tools with "xcode-select --install".';
	if (platform === 'win32') {
		return 'Install Python 3 and the Visual Studio Build Tools with the C++ workload.';
	}
	return 'Install the build tools (Debian, Ubuntu: "apt-get install python3 make g++").';
}
