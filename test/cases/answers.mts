/** Bodies of answers, as services, gateways and caches really write them. */
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

/** By kind. What they prove depends on the status. */
export const SAMPLES = {
	'JSON of the service': [
		{ body: { message: 'Not now' } },
		{ body: [] },
		{ body: { message: 'Later' }, headers: { via: '1.1 varnish', 'x-cache': 'MISS', ...html } },
		// Not all that has a title and a status is problem details.
		{ body: { title: 'Overloaded', status: 'busy' } },
	],
	'Problem details': [
		{ body: { title: 'Overloaded', status: 503 } },
		{ body: { type: 'about:blank' }, headers: { 'content-type': 'application/problem+json' } },
		{ body: { status: 503, detail: 'Later', data: {} }, headers: { via: '1.1 varnish' } },
	],
	"Cloudflare's JSON": [
		{
			body: { type: 'about:blank', title: 'Error 1200', status: 503, cloudflare_error: true, ray_id: 'x' },
			headers: { 'content-type': 'application/problem+json', 'cf-ray': '8f1-FRA' },
		},
	],
	'A page': [
		{ body: nginxPage(503, 'Service Temporarily Unavailable'), headers: html },
		{ body: nginxPage(503, 'Service Temporarily Unavailable', 'cloudflare'), headers: html },
		{
			body: '<html><body><h1>503 Service Unavailable</h1>\nNo server is available to handle this request.\n</body></html>\n',
			headers: html,
		},
		{
			body: '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN""http://www.w3.org/TR/html4/strict.dtd">\r\n<HTML><HEAD><TITLE>Service Unavailable</TITLE>\r\n<META HTTP-EQUIV="Content-Type" Content="text/html; charset=us-ascii"></HEAD>\r\n<BODY><h2>Service Unavailable</h2>\r\n<hr><p>HTTP Error 503. The service is unavailable.</p>\r\n</BODY></HTML>\r\n',
			headers: html,
		},
		{ body: varnishPage(503, 'Backend fetch failed'), headers: { ...varnishHeaders } },
		{
			body: '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n<html><head><title>503 first byte timeout</title></head><body><h1>Error 503 first byte timeout</h1><h3>Error 54113</h3><p>Details: cache-fra-1</p><hr><p>Varnish cache server</p></body></html>',
			headers: { ...html, via: '1.1 varnish', 'x-served-by': 'cache-fra-1', 'x-cache': 'MISS' },
		},
		{ body: '<!DOCTYPE html><title>Just a moment...</title>', headers: html },
	],
	'Other text': [
		{ body: 'no available server\n', headers: { 'content-type': 'text/plain' } },
		{
			body: 'upstream connect error or disconnect/reset before headers. reset reason: connection termination',
			headers: { 'content-type': 'text/plain', server: 'envoy' },
		},
		{ body: 'Service Unavailable' },
		{ body: '404 page not found\n', headers: { 'content-type': 'text/plain; charset=utf-8' } },
	],
	'No body': [
		{ body: undefined },
		{ body: undefined, headers: { server: 'Kestrel' } },
		{ body: undefined, headers: { via: '1.1 proxy' } },
		{ body: undefined, headers: { 'x-amzn-waf-action': 'captcha' } },
	],
} as const satisfies Readonly<Record<string, readonly Sample[]>>;

/** What AWS WAF answers with 202 to a program that can't run its script. */
export const WAF_CHALLENGE: Sample = {
	body: undefined,
	headers: { 'x-amzn-waf-action': 'challenge', 'content-length': '0' },
};

/** A 2xx that another program has written. */
export const FOREIGN: readonly Sample[] = [
	{ body: '<!doctype html><title>Sign in</title>', headers: { 'content-type': 'text/plain' } },
	{ body: { packageId: ids.otherEntry }, headers: html },
	{ body: 'PNG', headers: { 'content-type': 'image/png' } },
	WAF_CHALLENGE,
];
