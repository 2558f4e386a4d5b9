import type { LoggedRequest } from '../sandbox/types.mts';

/** A request that the sandbox received, for people to read. */
export function describeRequest({ method, path, status, conforms, problems, body }: LoggedRequest): string {
	const verdict = conforms ? 'it conforms to the interface' : `it does not conform: ${problems.join('; ')}`;
	const content = body === null ? '' : `\n${indented(JSON.stringify(body, null, 2))}`;
	return `  ${method} ${path}   (answered ${status ?? 'nothing'}; ${verdict})${content}`;
}

/** The addresses to open when everything runs. */
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
                   shows what the service receives; click an ID to copy it.
                   Write as a customer there: the workflow "Answer a customer" answers within seconds.
                   Its buttons lose the next answer of the service, or take it down for 10 seconds.

For a credential of your own ("Unified Messaging API"):
  Base URL         ${at.baseUrl}
  API Key          ${at.apiKey}

The examples use channels of the sandbox. The two with an AI agent need an OpenAI credential of your own.
Those that keep rows in a data table make it when they are executed from "Run This Once".

Send a message from outside, through the published example workflow:
  curl -X POST ${at.webhook} -H 'Content-Type: application/json' -d '{"orderId": "1042", "customer": {"name": "Ada", "email": "ada@example.com"}}'

Post it twice: the customer gets one message, because the example sends once for each order number.

All data is in ${at.userFolder} and is removed when the demo stops.
Press Ctrl-C to stop.`;
}

const indented = (text: string): string => text.replace(/^/gm, '    ');
