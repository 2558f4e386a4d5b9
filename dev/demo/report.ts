import type { LoggedRequest } from '../sandbox/types.ts';

/** A request that the sandbox received, for people to read. */
export function describeRequest({ method, path, status, conforms, problems, body }: LoggedRequest): string {
	const verdict = conforms ? 'it conforms to the interface' : `it does not conform: ${problems.join('; ')}`;
	const content = body === null ? '' : `\n${indented(JSON.stringify(body, null, 2))}`;
	return `  ${method} ${path}   (answered ${status ?? 'nothing'}; ${verdict})${content}`;
}

/** Where to go on, once everything runs. */
export function describeAddresses(at: {
	editor: string;
	email: string;
	password: string;
	page: string;
	baseUrl: string;
	apiKey: string;
	webhook: string;
	userFolder: string;
}): string {
	return `Look around:
  n8n's editor     ${at.editor}
                   log in with ${at.email} / ${at.password} (made for this run, on this machine only)
  Sandbox page     ${at.page}
                   shows what arrives there; a click on an ID copies it

Build a credential of your own with ("Unified Messaging API"; a key of this run, good for nothing else):
  Base URL         ${at.baseUrl}
  API Key          ${at.apiKey}

The examples are filled in with channels of the sandbox. "An AI agent answers by message" needs an OpenAI credential of
your own; the others run as they are.

Let "another app" send one, through the published example workflow:
  curl -X POST ${at.webhook} -H 'Content-Type: application/json' -d '{"orderId": "1042", "customer": {"name": "Ada", "email": "ada@example.com"}}'

Everything lives in ${at.userFolder} and is removed when the demo stops.
Press Ctrl-C to stop.`;
}

const indented = (text: string): string => text.replace(/^/gm, '    ');
