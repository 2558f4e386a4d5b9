/** A seeded generator: the same seed and label always give the same sequence. */
export class Random {
	#state: number;

	constructor(seed: number, label: string) {
		// FNV-1a, 32 bits.
		const mix = (value: number, sign: string): number => Math.imul(value ^ sign.charCodeAt(0), 0x01000193);
		this.#state = [...`${seed}:${label}`].reduce(mix, 0x811c9dc5);
	}

	/** A number from 0 (included) to 1 (excluded). Mulberry32, which is plenty for test data. */
	next(): number {
		this.#state = (this.#state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	}

	/** A lower-case hexadecimal string of the given length. */
	hex(length: number): string {
		let text = '';
		while (text.length < length)
			text += Math.floor(this.next() * 2 ** 32)
				.toString(16)
				.padStart(8, '0');
		return text.slice(0, length);
	}

	/** A UUID with the version and variant bits of version 4. */
	uuid(): string {
		const digits = this.hex(32);
		const variant = '89ab'.charAt(parseInt(digits.charAt(16), 16) % 4);
		const version4 = `${digits.slice(0, 12)}4${digits.slice(13, 16)}${variant}${digits.slice(17)}`;
		return version4.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
	}

	/** The token of an API key; the prefix gives its type. */
	token(prefix: 'org_' | 'acc_'): string {
		const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';
		let token: string = prefix;
		while (token.length < 36) token += alphabet.charAt(Math.floor(this.next() * alphabet.length));
		return token;
	}
}
