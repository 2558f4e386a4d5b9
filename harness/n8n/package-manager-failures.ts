/** What a person needs to know to read why an npm command failed. */
export interface FailureContext {
	/** What was being done, such as "installing n8n". */
	readonly doing: string;
	/** The folder in which it was done. */
	readonly folder: string;
	/** Where the whole output is. */
	readonly log: string;
	/** Whether C++ headers of Node 24 were at hand for native builds. */
	readonly headers: boolean;
	readonly platform: NodeJS.Platform;
}

/**
 * Says in one line why npm failed and what to do. The first cause that is recognised wins; the order matters,
 * since a full disk or a dead network breaks a native build too.
 */
export function explainFailure(output: string, context: FailureContext): string {
	const cause = causes.find(({ sign }) => sign.test(output));
	const why = cause === undefined ? lastErrorLine(output) : cause.say(context, output);
	return `Failed while ${context.doing}: ${why} The whole output is in ${context.log}`;
}

/** The codes with which npm says that it got no answer. */
const unreachable =
	/npm (ERR!|error) code (ENOTFOUND|EAI_[A-Z]+|ECONN[A-Z]+|E[A-Z]*TIMEDOUT|E[A-Z]+TIMEOUT|ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL|EPROTO|ERR_SOCKET_TIMEOUT|ERR_SSL_[A-Z_]+|FETCH_ERROR|CERT_[A-Z_]+|DEPTH_ZERO_[A-Z_]+|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_[A-Z_]+)\b/;

/**
 * Says that the registry can't be reached, and what to look at.
 *
 * @param output what npm printed, or `timeout` when it was stopped before it got an answer
 * @returns null when npm says that it got an answer, or nothing about it
 */
export function registryProblem(output: string): string | null {
	const code = output === 'timeout' ? 'FETCH_ERROR' : unreachable.exec(output)?.[2];
	if (code === undefined) return null;
	// What npm calls a request that took too long.
	const cause = code === 'FETCH_ERROR' ? 'no answer' : code;
	return `the npm registry could not be reached (${cause}): check the network, the proxy and "npm config get registry".`;
}

const causes: ReadonlyArray<{
	sign: RegExp;
	say: (context: FailureContext, output: string) => string;
}> = [
	{
		sign: /\bENOSPC\b|no space left on device|disk quota exceeded|\bEDQUOT\b/i,
		say: ({ folder }) => `no disk space left (${folder}, or npm's cache): free about 3 GB and run it again.`,
	},
	{
		sign: /npm (ERR!|error) code (EACCES|EPERM|EROFS)\b/,
		say: ({ folder }) => `no permission to write in ${folder} or in npm's cache.`,
	},
	{
		sign: /gyp ERR! find Python|Could not find any Python|python3?: (command )?not found/i,
		say: ({ platform }) => `a native module has to be built and Python 3 is missing. ${buildTools(platform)}`,
	},
	{
		sign: /not found: make\b|make: (command )?not found|spawn make ENOENT/i,
		say: ({ platform }) => `a native module has to be built and "make" is missing. ${buildTools(platform)}`,
	},
	{
		sign: /(g\+\+|c\+\+|clang\+\+|cc1plus)['’]?: (No such file|command not found|not found)|No Xcode or CLT|find VS\b.*(not found|could not)/i,
		say: ({ platform }) =>
			`a native module has to be built and the C++ compiler is missing. ${buildTools(platform)}`,
	},
	{
		sign: /node(_api)?\.h: No such file|nodedir.*(not found|no such)|common\.gypi not found/i,
		say: () =>
			'the C++ headers of Node 24 are missing in node_modules: delete node_modules, run "npm install" again.',
	},
	{
		sign: unreachable,
		say: (_context, output) => registryProblem(output) ?? '',
	},
	{
		sign: /npm (ERR!|error) code (E401|E403|E404|ETARGET|EINTEGRITY|E5\d\d)\b/,
		say: (_context, output) =>
			`the npm registry refused a package (${lastErrorLine(output)}): check "npm config get registry".`,
	},
	{
		sign: /getaddrinfo (ENOTFOUND|EAI_AGAIN)|connect (ECONNREFUSED|ETIMEDOUT|ENETUNREACH)/,
		say: ({ headers }) =>
			`no network${headers ? '' : ' (the C++ headers of Node 24 had to be fetched as well)'}: check the network and the proxy.`,
	},
	{
		sign: /gyp ERR!/,
		say: ({ platform }) => `a native module could not be built. ${buildTools(platform)}`,
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

/** npm's own last word, for causes that are not known here. */
function lastErrorLine(output: string): string {
	const lines = output
		.split('\n')
		.map((line) => line.replace(/^npm (ERR!|error)\s*/, '').trim())
		.filter((line) => line !== '');
	const telling = output
		.split('\n')
		.filter((line) => /^npm (ERR!|error) /.test(line) && !/complete log of this run|code |\.log$/.test(line))
		.map((line) => line.replace(/^npm (ERR!|error)\s*/, '').trim())
		.filter((line) => line !== '');
	return `${(telling[0] ?? lines.at(-1) ?? 'npm said nothing').slice(0, 300)}.`.replace(/\.\.$/, '.');
}
