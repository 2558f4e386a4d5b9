/** Gateways that put an answer of their own in the place of 502 and 504, which come after the call was passed on. */
import { apache, caddy, haproxy, location, nginx, proxyPass, reverseProxy } from './configurations.mts';
import type { OpenGateway } from './gateways.mts';
import type { Place, ProgramName } from './programs.mts';

/** One such gateway. */
export interface Replacing {
	readonly program: ProgramName;
	/** What it does. */
	readonly what: string;
	readonly open: OpenGateway;
}

const status = 'https://status.example.com/';

/** An answer as HAProxy takes it from a file. */
const file = (head: readonly string[], body = ''): string =>
	`${['HTTP/1.0 503 Service Unavailable', 'Connection: close', 'Retry-After: 1', ...head].join('\r\n')}\r\n\r\n${body}`;

const all =
	(lines: string): ((place: Place) => string) =>
	(place) =>
		`${lines}\n${location(place)}`;
const haproxyFile = ({ folder }: Place): string =>
	[502, 503, 504].map((code) => `errorfile ${code} ${folder}/503.http`).join('\n\t');
const caddyErrors = (lines: string) => (place: Place) =>
	`${reverseProxy(place)}\n\thandle_errors {\n${lines}\n\t}`;

/** All of them. */
export const REPLACING: readonly Replacing[] = [
	{
		program: 'nginx',
		what: 'error_page with a file that is missing: a 404 page',
		open: nginx(all('error_page 500 502 503 504 /50x.html; location = /50x.html {}')),
	},
	{
		program: 'nginx',
		what: 'error_page with a static file in a named location: a 405 page',
		open: nginx(
			all(
				'error_page 502 503 504 @maintenance; location @maintenance { rewrite ^ /maintenance.html break; }',
			),
			'',
			{ 'maintenance.html': '<!doctype html><title>Back soon</title>' },
		),
	},
	{
		program: 'nginx',
		what: 'error_page with an address: a 302',
		open: nginx(all(`error_page 502 503 504 ${status};`)),
	},
	{
		program: 'haproxy',
		what: 'errorloc: a 302',
		open: haproxy([502, 503, 504].map((code) => `errorloc ${code} ${status}`).join('\n\t')),
	},
	{
		program: 'apache',
		what: 'ErrorDocument with an address: a 302',
		open: apache((place) =>
			[proxyPass(place), ...[502, 503, 504].map((code) => `ErrorDocument ${code} ${status}`)].join('\n'),
		),
	},
	{ program: 'caddy', what: 'redir: a 302', open: caddy(caddyErrors(`redir ${status}`)) },
	{
		program: 'nginx',
		what: 'error_page with its own 503 page',
		open: nginx(all('error_page 502 504 @m; location @m { return 503; }')),
	},
	{
		program: 'haproxy',
		what: 'a JSON 503 with Retry-After',
		open: haproxy(haproxyFile, {
			'503.http': file(['Content-Type: application/json'], '{"error":"Back soon"}'),
		}),
	},
	{
		program: 'haproxy',
		what: 'an empty 503 with Retry-After',
		open: haproxy(haproxyFile, { '503.http': file(['Content-Length: 0']) }),
	},
	{
		program: 'caddy',
		what: 'a JSON 503 with Retry-After',
		open: caddy(
			caddyErrors(
				'header Retry-After 1\nheader Content-Type application/json\nrespond `{"error":"Back soon"}` 503',
			),
		),
	},
	{
		program: 'caddy',
		what: 'an empty 503 with Retry-After',
		open: caddy(caddyErrors('header Retry-After 1\nrespond 503')),
	},
];
