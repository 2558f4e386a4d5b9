const text = (title: string, more: object = {}) => ({ type: 'string', title, ...more });
const jsonSchema = (title: string, required: readonly string[], properties: object) => ({
	contentType: 'application/schema+json',
	text: JSON.stringify({
		$schema: 'https://json-schema.org/draft/2020-12/schema',
		...{ type: 'object', title, required, properties },
	}),
});

/** What the `configurationSchemaUrl` of the channel types leads to, by file name under `/_sandbox/schemas/`. */
export const schemaFiles: Readonly<Record<string, { contentType: string; text: string }>> = {
	'email.json': jsonSchema('E-mail channel', ['host', 'fromAddress'], {
		host: text('SMTP host', { description: 'Name of the mail server.' }),
		port: { type: 'integer', title: 'Port', default: 587, minimum: 1, maximum: 65535 },
		security: text('Security', {
			...{ enum: ['none', 'starttls', 'tls'], default: 'starttls' },
			description: 'How the connection is secured.',
		}),
		fromAddress: text('From address', { format: 'email' }),
		signature: text('Signature'),
	}),
	'whatsapp.json': jsonSchema('WhatsApp channel', ['phoneNumber'], {
		phoneNumber: text('Phone number', { pattern: '^\\+[0-9]{6,15}$' }),
		displayName: text('Display name', { maxLength: 50 }),
		readReceipts: { type: 'boolean', title: 'Read receipts', default: true },
		businessHours: {
			...{ type: 'object', title: 'Business hours' },
			properties: { from: { type: 'string' }, to: { type: 'string' } },
		},
		// Secrets that their names do not give away.
		pin: text('PIN', { writeOnly: true }),
		recovery: {
			...{ type: 'object', title: 'Recovery' },
			properties: { mail: text('E-mail'), phrase: text('Phrase', { format: 'password' }) },
		},
	}),
	'http.json': jsonSchema('HTTP channel', ['url'], {
		url: text('Address', { format: 'uri', description: 'Where messages are posted to.' }),
		method: text('Method', { enum: ['POST', 'PUT'], default: 'POST' }),
		timeoutSeconds: { type: 'number', title: 'Time-out in seconds', default: 30, exclusiveMinimum: 0 },
		headers: { type: 'object', title: 'Headers', additionalProperties: { type: 'string' } },
		tags: { type: 'array', title: 'Tags', items: { type: 'string' } },
	}),
	'sms.html': {
		contentType: 'text/html; charset=utf-8',
		text: '<!doctype html><title>SMS configuration</title><p>Ask your operator for the settings.</p>',
	},
};
