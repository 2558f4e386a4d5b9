import { isPlainObject, valueAt } from '../shared/json';
import type { ApiCall } from './api-call';
import { contentOf } from './envelope';
import { isOffered, type Reply } from './reply';

/** Who wrote an answer, as far as it matters for what the answer means. */
export type Writer =
	/** The service itself. */
	| 'service'
	/** A gateway that turned the call away before it passed anything on. */
	| 'barrier'
	/** A cache or gateway that may have passed the call on: the service may have processed it. */
	| 'gateway'
	/** A cache that may have repeated the call by itself. Even its 4xx may come after the service has processed it. */
	| 'cache'
	/** Nothing shows who it was. */
	| 'unclear';

/** One kind of answer. */
export interface Author {
	/** Who wrote it, and how that is known: for the documentation. */
	readonly who: string;
	readonly mark: string;
	readonly writer: Writer;
	/** What to do about it, if the status alone does not say that. */
	readonly advice?: string;
	readonly wrote: (reply: Reply, call: ApiCall) => boolean;
}

/** How much of a text is looked through: pages of gateways are short. */
const MOST_LOOKED_AT = 20_000;

function textOf({ body }: Reply): string {
	return typeof body === 'string' ? body.slice(0, MOST_LOOKED_AT) : '';
}

const isSuccess = ({ status }: Reply): boolean => status >= 200 && status < 300;

const isJson = ({ body }: Reply): boolean => Array.isArray(body) || isPlainObject(body);

/** The beginning of a page of HTML, which may follow comments. Its declared type does not matter: gateways send any. */
const HTML_PAGE = /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^>]*>\s*)*<(?:!doctype\s+html|html|head|body)[\s>]/i;

/** Headers that caches add. */
const TRACES = ['via', 'x-cache', 'x-served-by', 'age', 'x-varnish'];

/** A row for an answer with this status, or with any if it is undefined, whose text matches. */
const says =
	(status: number | undefined, pattern: RegExp): Author['wrote'] =>
	(reply) =>
		(status === undefined || reply.status === status) && pattern.test(textOf(reply));

/** Fits whatever fits no other row. */
const SILENT: Author = {
	who: 'The service',
	mark: 'no body, and no trace of a cache',
	writer: 'service',
	wrote: () => true,
};

/**
 * Who writes which answers; the first row that fits decides. Most gateways write a 503 after the service may have
 * processed the call: when its answer broke off, or came later than they wait. Those that never do have a row of their
 * own. docs/internals/situations.md shows this table.
 */
export const AUTHORS: readonly Author[] = [
	{
		who: 'The service',
		mark: 'a 2xx with the `packageId` of this message, whatever its type',
		writer: 'service',
		wrote: (reply, call) => isSuccess(reply) && hasOwnPackageId(reply, call),
	},
	{
		who: 'Another program',
		mark: 'a 2xx that is a web page, or of a type that the interface does not offer',
		writer: 'gateway',
		wrote: (reply) =>
			isSuccess(reply) &&
			reply.body !== undefined &&
			(!isOffered(reply.headers['content-type']) || HTML_PAGE.test(textOf(reply))),
	},
	{ who: 'The service', mark: 'any other 2xx', writer: 'service', wrote: isSuccess },
	{
		who: 'Cloudflare',
		mark: 'JSON with `cloudflare_error`',
		writer: 'gateway',
		wrote: ({ body }) => valueAt(body, 'cloudflare_error') === true,
	},
	{
		who: 'The service',
		mark: 'JSON: problem details, or any object or list',
		writer: 'service',
		wrote: isJson,
	},
	{
		who: 'nginx',
		mark: 'its own 503 page, as `limit_req` gives it',
		writer: 'barrier',
		wrote: says(503, /<hr>\s*<center>nginx(?:\/[\d.]{1,20})?(?: \([^)<]{1,40}\))?<\/center>/i),
	},
	{
		who: 'HAProxy',
		mark: '"No server is available to handle this request."',
		writer: 'barrier',
		wrote: says(503, /<\/h1>\s*No server is available to handle this request\./i),
	},
	{
		who: 'http.sys (IIS)',
		mark: '"HTTP Error 503. The service is unavailable."',
		writer: 'barrier',
		wrote: says(503, /HTTP Error 503\. The service is unavailable\./i),
	},
	{
		who: 'Traefik',
		mark: '"no available server"',
		writer: 'barrier',
		wrote: says(503, /^\s*no available server\s*$/i),
	},
	{
		who: 'A port that speaks https',
		mark: 'its 400 for a request in plain HTTP (nginx, Apache, Go, Tomcat)',
		writer: 'barrier',
		advice: 'This port speaks https: try https:// in place of http:// in the Base URL of the credential.',
		wrote: says(
			400,
			/plain HTTP request was sent to HTTPS|speaking plain HTTP to an SSL|HTTP request to an HTTPS server|host and port requires TLS/i,
		),
	},
	{
		who: 'Varnish, Fastly',
		mark: 'the page of a cache: "Guru Meditation", "Varnish cache server"',
		writer: 'cache',
		wrote: says(undefined, /Guru Medi(?:t)?ation|Varnish cache server/i),
	},
	{
		who: 'A gateway',
		mark: 'any other page, but one with status 500',
		writer: 'gateway',
		wrote: (reply) => isPage(reply) && reply.status !== 500,
	},
	{
		who: 'Unclear',
		mark: 'any other text, as of Envoy, or no body but a trace of a cache: `Via`, `X-Cache`, `X-Served-By`, `Age` or `X-Varnish`',
		writer: 'unclear',
		wrote: ({ body, headers }) => body !== undefined || TRACES.some((name) => headers[name] !== undefined),
	},
	SILENT,
];

/** Who wrote an answer. */
export function authorOf(reply: Reply, call: ApiCall): Author {
	return AUTHORS.find(({ wrote }) => wrote(reply, call)) ?? SILENT;
}

/** Whether it was not the service that answered: neither key nor field is to blame. */
export function isByGateway({ writer }: Author): boolean {
	return writer !== 'service' && writer !== 'unclear';
}

/** Whether an answer carries the packageId of the message that was sent: nobody else knows it. */
function hasOwnPackageId({ body }: Reply, call: ApiCall): boolean {
	const [sent, found] = [call.body, contentOf(body, call)].map((each) => valueAt(each, 'packageId'));
	return typeof sent === 'string' && typeof found === 'string' && sent.toLowerCase() === found.toLowerCase();
}

/** Whether an answer is a web page. */
export function isPage(reply: Reply): boolean {
	return /^\s*</.test(textOf(reply));
}

/** The title of a web page, or its first heading; '' without one. */
export function titleOf(reply: Reply): string {
	const text = textOf(reply);
	const found = [/<title[^>]{0,200}>([^<]{1,500})/i, /<h[1-3][^>]{0,200}>([^<]{1,500})/i].map(
		(pattern) => pattern.exec(text)?.[1]?.replace(/\s+/g, ' ').trim() ?? '',
	);
	return found.find(Boolean) ?? '';
}
