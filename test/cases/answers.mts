/** Answers of services, gateways and caches, as these really write them: of each row of `AUTHORS`. */
import type { Reply } from '../../nodes/Messaging/service/reply.ts';
import { ids } from './values.mts';

/** An answer without its status. */
export type Sample = Pick<Reply, 'body'> & { readonly headers?: Readonly<Record<string, string>> };

const html = { 'content-type': 'text/html' };

/** nginx 1.22, also in front of other servers. */
export const nginxPage = (status: number, title: string, footer = 'nginx/1.22.1'): string =>
	`<html>\r\n<head><title>${status} ${title}</title></head>\r\n<body>\r\n<center><h1>${status} ${title}</h1></center>\r\n<hr><center>${footer}</center>\r\n</body>\r\n</html>\r\n`;

/** Varnish 7.1, default configuration: `vcl_synth` and `vcl_backend_error`. */
export const varnishPage = (status: number, reason: string): string =>
	`<!DOCTYPE html>\n<html>\n  <head>\n    <title>${status} ${reason}</title>\n  </head>\n  <body>\n    <h1>Error ${status} ${reason}</h1>\n    <p>${reason}</p>\n    <h3>Guru Meditation:</h3>\n    <p>XID: 32770</p>\n    <hr>\n    <p>Varnish cache server</p>\n  </body>\n</html>\n`;

/** The headers that Varnish 7.1 adds to its own pages. */
export const varnishHeaders = {
	...html,
	server: 'Varnish',
	via: '1.1 varnish (Varnish/7.1)',
	'x-varnish': '32770',
};

/** By who wrote them, as `AUTHORS` names it; some rows have several. */
export const SAMPLES: Readonly<Record<string, readonly Sample[]>> = {
	'The service: a 2xx with the `packageId` of this message, whatever its type': [
		{ body: { packageId: ids.call }, headers: { 'content-type': 'application/octet-stream' } },
		{ body: { data: { packageId: ids.call.toUpperCase() } }, headers: html },
	],
	'Another program: a 2xx that is a web page, or of a type that the interface does not offer': [
		{ body: '<!doctype html><title>Sign in</title>', headers: { 'content-type': 'text/plain' } },
		{ body: { packageId: ids.otherEntry }, headers: html },
		{ body: 'PNG', headers: { 'content-type': 'image/png' } },
	],
	'The service: any other 2xx': [{ body: {} }, { body: undefined, headers: html }, { body: 'Accepted' }],
	'Cloudflare: JSON with `cloudflare_error`': [
		{
			body: { type: 'about:blank', title: 'Error 1200', status: 503, cloudflare_error: true, ray_id: 'x' },
			headers: { 'content-type': 'application/problem+json', 'cf-ray': '8f1-FRA' },
		},
	],
	'The service: JSON, such as problem details': [
		{ body: { title: 'Overloaded', status: 503 } },
		{ body: [] },
		{ body: { message: 'Later' }, headers: { via: '1.1 varnish', 'x-cache': 'MISS', ...html } },
	],
	'nginx: its own page, as `limit_req` gives it': [
		{ body: nginxPage(503, 'Service Temporarily Unavailable'), headers: html },
		{ body: nginxPage(503, 'Service Temporarily Unavailable', 'nginx'), headers: html },
	],
	'HAProxy: "No server is available to handle this request."': [
		{
			body: '<html><body><h1>503 Service Unavailable</h1>\nNo server is available to handle this request.\n</body></html>\n',
			headers: html,
		},
	],
	'http.sys (IIS): "HTTP Error 503. The service is unavailable."': [
		{
			body: '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN""http://www.w3.org/TR/html4/strict.dtd">\r\n<HTML><HEAD><TITLE>Service Unavailable</TITLE>\r\n<META HTTP-EQUIV="Content-Type" Content="text/html; charset=us-ascii"></HEAD>\r\n<BODY><h2>Service Unavailable</h2>\r\n<hr><p>HTTP Error 503. The service is unavailable.</p>\r\n</BODY></HTML>\r\n',
			headers: html,
		},
	],
	'Traefik: "no available server"': [
		{ body: 'no available server\n', headers: { 'content-type': 'text/plain' } },
	],
	'A port that speaks https: its 400 for a request in plain HTTP': [
		{
			body: nginxPage(400, 'The plain HTTP request was sent to HTTPS port').replace(
				'<center>',
				'<center>Bad ',
			),
			headers: html,
		},
		{ body: 'Client sent an HTTP request to an HTTPS server.\n' },
		{
			body: "<html><title>400 Bad Request</title>Reason: You're speaking plain HTTP to an SSL-enabled server port.<br />",
		},
		{ body: 'Bad Request\r\nThis combination of host and port requires TLS.\r\n' },
	],
	'Varnish, Fastly: a page with "Guru Meditation" or "Varnish cache server"': [
		{ body: varnishPage(503, 'Backend fetch failed'), headers: { ...varnishHeaders, 'retry-after': '5' } },
		{
			body: '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n<html><head><title>503 first byte timeout</title></head><body><h1>Error 503 first byte timeout</h1><h3>Error 54113</h3><p>Details: cache-fra-1</p><hr><p>Varnish cache server</p></body></html>',
			headers: { ...html, via: '1.1 varnish', 'x-served-by': 'cache-fra-1', 'x-cache': 'MISS' },
		},
	],
	'A gateway: any other page, but one with status 500': [
		{ body: nginxPage(503, 'Service Temporarily Unavailable', 'cloudflare'), headers: html },
		{ body: '<!DOCTYPE html><title>Just a moment...</title>', headers: html },
		{ body: '<html><head><title>503 Service Temporarily Unavailable</title></head></html>', headers: html },
	],
	'Unclear: any other text, as of Envoy, or no body but a trace of a cache: `Via`, `X-Cache`, `X-Served-By`, `Age` or `X-Varnish`':
		[
			{
				body: 'upstream connect error or disconnect/reset before headers. reset reason: connection termination',
				headers: { 'content-type': 'text/plain', server: 'envoy' },
			},
			{ body: 'Service Unavailable' },
			{ body: 'no healthy upstream', headers: { server: 'envoy' } },
			{ body: undefined, headers: { via: '1.1 proxy' } },
			{ body: undefined, headers: { 'x-cache': 'Error from cloudfront' } },
			{ body: undefined, headers: { 'x-served-by': 'cache-fra-1' } },
			{ body: undefined, headers: { age: '0' } },
			{ body: undefined, headers: { 'x-varnish': '3' } },
		],
	'The service: no body, and no trace of a cache': [
		{ body: undefined },
		{ body: undefined, headers: { server: 'Kestrel' } },
	],
};
