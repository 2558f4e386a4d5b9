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
	readonly writer: Writer;
	/** Who that is, and how it is known: for the documentation. */
	readonly who: string;
	readonly wrote: (reply: Reply, call: ApiCall) => boolean;
	/** What to do about it, if the status alone does not say that. */
	readonly advice?: string;
}

/** How much of a text is looked through: pages of gateways are short. */
const MOST_LOOKED_AT = 20_000;

function textOf({ body }: Reply): string {
	return typeof body === 'string' ? body.slice(0, MOST_LOOKED_AT) : '';
}

const isSuccess = ({ status }: Reply): boolean => status >= 200 && status < 300;

/** The beginning of a page of HTML, which may follow comments. Its declared type does not matter: gateways send any. */
const HTML_PAGE = /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^>]*>\s*)*<(?:!doctype\s+html|html|head|body)[\s>]/i;

/** Headers that caches add. */
const TRACES = ['via', 'x-cache', 'x-served-by', 'age', 'x-varnish'];

/** Whether an answer is a text like this, with this status if one is given. */
const says =
	(pattern: RegExp, status?: number): Author['wrote'] =>
	(reply) =>
		(status === undefined || reply.status === status) && pattern.test(textOf(reply));

/** The 503 pages of gateways that write them before they pass anything on. */
const BARRIERS: Readonly<Record<string, RegExp>> = {
	'nginx: its own page, as `limit_req` gives it':
		/<hr>\s*<center>nginx(?:\/[\d.]{1,20})?(?: \([^)<]{1,40}\))?<\/center>/i,
	'HAProxy: "No server is available to handle this request."':
		/<\/h1>\s*No server is available to handle this request\./i,
	'http.sys (IIS): "HTTP Error 503. The service is unavailable."':
		/HTTP Error 503\. The service is unavailable\./i,
	'Traefik: "no available server"': /^\s*no available server\s*$/i,
};

/** What nginx, Apache, Go and Tomcat answer with 400 to a request in plain HTTP. */
const SPEAKS_HTTPS =
	/plain HTTP request was sent to HTTPS|speaking plain HTTP to an SSL|HTTP request to an HTTPS server|host and port requires TLS/i;

/** Whether another program answers at this address. An empty body says nothing about that, whatever its type. */
function isForeign(reply: Reply): boolean {
	const isOdd = !isOffered(reply.headers['content-type']) || HTML_PAGE.test(textOf(reply));
	return isSuccess(reply) && reply.body !== undefined && isOdd;
}

const service = (who: string, wrote: Author['wrote']): Author => ({
	writer: 'service',
	who: `The service: ${who}`,
	wrote,
});

/** Fits whatever fits no other row. */
const SILENT = service('no body, and no trace of a cache', () => true);

/**
 * Who writes which answers; the first row that fits decides. Most gateways write a 503 after the service may have
 * processed the call: when its answer broke off, or came later than they wait. Those that never do have a row of their
 * own. docs/internals/situations.md shows this table.
 */
export const AUTHORS: readonly Author[] = [
	service('a 2xx with the `packageId` of this message, whatever its type', hasOwnPackageId),
	{
		writer: 'gateway',
		who: 'Another program: a 2xx that is a web page, or of a type that the interface does not offer',
		wrote: isForeign,
	},
	service('any other 2xx', isSuccess),
	{
		writer: 'gateway',
		who: 'Cloudflare: JSON with `cloudflare_error`',
		wrote: ({ body }) => valueAt(body, 'cloudflare_error') === true,
	},
	service('JSON, such as problem details', ({ body }) => Array.isArray(body) || isPlainObject(body)),
	...Object.entries(BARRIERS).map(([who, page]): Author => ({
		writer: 'barrier',
		who,
		wrote: says(page, 503),
	})),
	{
		writer: 'barrier',
		who: 'A port that speaks https: its 400 for a request in plain HTTP',
		wrote: says(SPEAKS_HTTPS, 400),
		advice: 'This port speaks https: try https:// in place of http:// in the Base URL of the credential.',
	},
	{
		writer: 'cache',
		who: 'Varnish, Fastly: a page with "Guru Meditation" or "Varnish cache server"',
		wrote: says(/Guru Medit?ation|Varnish cache server/i),
	},
	{
		writer: 'gateway',
		who: 'A gateway: any other page, but one with status 500',
		wrote: (reply) => isPage(reply) && reply.status !== 500,
	},
	{
		writer: 'unclear',
		who: 'Unclear: any other text, as of Envoy, or no body but a trace of a cache: `Via`, `X-Cache`, `X-Served-By`, `Age` or `X-Varnish`',
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

/** Whether a success carries the packageId of the message that was sent: nobody else knows it. */
function hasOwnPackageId(reply: Reply, call: ApiCall): boolean {
	const [sent, found] = [call.body, contentOf(reply.body, call)].map((each) => valueAt(each, 'packageId'));
	return isSuccess(reply) && typeof sent === 'string' && String(found).toLowerCase() === sent.toLowerCase();
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
