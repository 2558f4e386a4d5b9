import { FormData, request } from 'undici';

/** A page as a browser gets it. */
export interface ServedPage {
	readonly status: number;
	readonly html: string;
	readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The link in a question's message; throws if there is none. */
export function linkIn(text: string | null | undefined): string {
	const [link] = /https?:\/\/\S+$/.exec(text ?? '') ?? [];
	if (link === undefined) throw new Error(`There is no link at the end of ${JSON.stringify(text)}`);
	return link;
}

/** Opens a link, as a browser or a link preview does. */
export async function openLink(
	link: string,
	method: 'GET' | 'HEAD' | 'PUT' | 'OPTIONS' = 'GET',
	headers: Readonly<Record<string, string>> = {},
): Promise<ServedPage> {
	return await served(request(link, { method, headers }));
}

/** Sends the form of a page, as its button does. */
export async function sendAnswer(
	link: string,
	fields: Readonly<Record<string, string | readonly string[]>>,
): Promise<ServedPage> {
	const form = new FormData();
	for (const [name, values] of Object.entries(fields)) {
		for (const value of [values].flat()) form.append(name, value);
	}
	return await served(request(link, { method: 'POST', body: form, headers: { origin: 'null' } }));
}

async function served(asked: ReturnType<typeof request>): Promise<ServedPage> {
	const { statusCode, headers, body } = await asked;
	return { status: statusCode, html: await body.text(), headers };
}
