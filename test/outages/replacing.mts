/** Gateways that put an answer of their own in the place of 502 and 504, which come after the call was passed on. */
import { apache, caddy, haproxy, location, nginx, proxyPass, reverseProxy } from './configurations.mts';
import type { OpenGateway } from './gateways.mts';
import type { Place, ProgramName } from './programs.mts';
import type { Behind } from './runs.mts';

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

/** @param what what it does */
export const by = (program: ProgramName, what: string, open: OpenGateway): Behind => ({
	...{ program, open, name: `${program}, ${what}` },
});

/** All of them. */
export const REPLACING: readonly Behind[] = [
	by(
		'nginx',
		'error_page with a file that is missing: a 404 page',
		nginx(all('error_page 500 502 503 504 /50x.html; location = /50x.html {}')),
	),
	by(
		'nginx',
		'error_page with a static file in a named location: a 405 page',
		nginx(
			all(
				'error_page 502 503 504 @maintenance; location @maintenance { rewrite ^ /maintenance.html break; }',
			),
			'',
			{ 'maintenance.html': '<!doctype html><title>Back soon</title>' },
		),
	),
	by('nginx', 'error_page with an address: a 302', nginx(all(`error_page 502 503 504 ${status};`))),
	by(
		'haproxy',
		'errorloc: a 302',
		haproxy([502, 503, 504].map((code) => `errorloc ${code} ${status}`).join('\n\t')),
	),
	by(
		'apache',
		'ErrorDocument with an address: a 302',
		apache((place) =>
			[proxyPass(place), ...[502, 503, 504].map((code) => `ErrorDocument ${code} ${status}`)].join('\n'),
		),
	),
	by('caddy', 'redir: a 302', caddy(caddyErrors(`redir ${status}`))),
	by(
		'nginx',
		'error_page with its own 503 page',
		nginx(all('error_page 502 504 @m; location @m { return 503; }')),
	),
	by(
		'haproxy',
		'a JSON 503 with Retry-After',
		haproxy(haproxyFile, {
			'503.http': file(['Content-Type: application/json'], '{"error":"Back soon"}'),
		}),
	),
	by(
		'haproxy',
		'an empty 503 with Retry-After',
		haproxy(haproxyFile, { '503.http': file(['Content-Length: 0']) }),
	),
	by(
		'caddy',
		'a JSON 503 with Retry-After',
		caddy(
			caddyErrors(
				'header Retry-After 1\nheader Content-Type application/json\nrespond `{"error":"Back soon"}` 503',
			),
		),
	),
	by('caddy', 'an empty 503 with Retry-After', caddy(caddyErrors('header Retry-After 1\nrespond 503'))),
];
