/** What the gateways of the tests are configured with: what they have in common, around the lines that a test is about. */
import { gatewayOf, type Place } from './programs.mts';
import type { OpenGateway } from './gateways.mts';

/** How long a gateway waits for the service, in seconds: all of them round to whole ones. */
export const LIMIT_SECONDS = 1;

type Lines = string | ((place: Place) => string);

const linesFor = (lines: Lines, place: Place): string => (typeof lines === 'string' ? lines : lines(place));

/** The files that gateways answer with, under their names in the folder. */
type Files = Readonly<Record<string, string>>;

/** The line of nginx that passes on what is below a path. */
export const location = ({ target }: Place, path = '/'): string =>
	`location ${path} { proxy_pass http://127.0.0.1:${target}; proxy_read_timeout ${LIMIT_SECONDS}s; }`;

/** nginx, with lines of its `server` and of its `http` section. */
export function nginx(lines: Lines, http = '', files?: Files): OpenGateway {
	const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
		(name) => `${name}_temp_path ${name};`,
	);
	const config = (place: Place): string => `
		pid nginx.pid;
		events {}
		http {
			access_log off;
			${temporary.join(' ')}
			root ${place.folder};
			${http}
			server {
				listen 127.0.0.1:${place.port} backlog=1024;
				${linesFor(lines, place)}
			}
		}`;
	return gatewayOf('nginx', config, files);
}

/** HAProxy, with lines of its front end. */
export function haproxy(lines: Lines, files?: Files): OpenGateway {
	const config = (place: Place): string => `
defaults
	mode http
	timeout connect 1s
	timeout client 30s
	timeout server ${LIMIT_SECONDS}s
frontend in
	bind 127.0.0.1:${place.port}
	${linesFor(lines, place)}
	default_backend service
backend service
	server one 127.0.0.1:${place.target}
`;
	return gatewayOf('haproxy', config, files);
}

/** Apache, with lines of its own. */
export function apache(lines: Lines, files?: Files): OpenGateway {
	const modules = ['mpm_event', 'authz_core', 'proxy', 'proxy_http'].map(
		(name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
	);
	const config = (place: Place): string => `
ServerRoot ${place.folder}
DefaultRuntimeDir ${place.folder}
PidFile apache.pid
ErrorLog error.log
ServerName localhost
Listen 127.0.0.1:${place.port}
${modules.join('\n')}
StartServers 1
ThreadsPerChild 50
DocumentRoot ${place.folder}
${linesFor(lines, place)}
`;
	return gatewayOf('apache', config, files);
}

/** The line of Apache that passes on what is below a path. Without `retry`, it gives the service up for a minute. */
export const proxyPass = ({ target }: Place, path = '/'): string =>
	`ProxyPass ${path} http://127.0.0.1:${target}${path} retry=0 timeout=${LIMIT_SECONDS}`;

/** Caddy, with lines of a site of this host. */
export function caddy(lines: Lines, host = '127.0.0.1'): OpenGateway {
	const config = (place: Place): string => `
{
	admin off
	auto_https off
}
http://${host}:${place.port} {
	bind 127.0.0.1
	${linesFor(lines, place)}
}
`;
	return gatewayOf('caddy', config);
}

/** The lines of Caddy that pass everything on. */
export const reverseProxy = ({ target }: Place): string => `
	reverse_proxy 127.0.0.1:${target} {
		transport http {
			dial_timeout 1s
			response_header_timeout ${LIMIT_SECONDS}s
		}
	}`;
