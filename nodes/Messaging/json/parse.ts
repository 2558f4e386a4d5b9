/** What JSON text holds; `undefined` when it is no JSON. */
export function parseJson(text: string): { value: unknown } | undefined {
	try {
		return { value: JSON.parse(text) };
	} catch {
		return undefined;
	}
}
