/** A file that a channel type's `configurationSchemaUrl` leads to. */
export interface SchemaFile {
	contentType: string;
	text: string;
}

const jsonSchema = (schema: object): SchemaFile => ({
	contentType: 'application/schema+json',
	text: JSON.stringify({
		$schema: 'https://json-schema.org/draft/2020-12/schema',
		type: 'object',
		...schema,
	}),
});

/** The configuration schemas by file name, served under `/_sandbox/schemas/`. */
export const schemaFiles: Readonly<Record<string, SchemaFile>> = {
	'email.json': jsonSchema({
		title: 'E-mail channel',
		required: ['host', 'fromAddress'],
		properties: {
			host: { type: 'string', title: 'SMTP host', description: 'Name of the mail server.' },
			port: { type: 'integer', title: 'Port', default: 587, minimum: 1, maximum: 65535 },
			security: {
				type: 'string',
				title: 'Security',
				enum: ['none', 'starttls', 'tls'],
				default: 'starttls',
				description: 'How the connection is secured.',
			},
			fromAddress: { type: 'string', title: 'From address', format: 'email' },
			signature: { type: 'string', title: 'Signature' },
		},
	}),
	'whatsapp.json': jsonSchema({
		title: 'WhatsApp channel',
		required: ['phoneNumber'],
		properties: {
			phoneNumber: { type: 'string', title: 'Phone number', pattern: '^\\+[0-9]{6,15}$' },
			displayName: { type: 'string', title: 'Display name', maxLength: 50 },
			readReceipts: { type: 'boolean', title: 'Read receipts', default: true },
			businessHours: {
				type: 'object',
				title: 'Business hours',
				properties: { from: { type: 'string' }, to: { type: 'string' } },
			},
		},
	}),
	'http.json': jsonSchema({
		title: 'HTTP channel',
		required: ['url'],
		properties: {
			url: { type: 'string', title: 'Address', format: 'uri', description: 'Where messages are posted to.' },
			method: { type: 'string', title: 'Method', enum: ['POST', 'PUT'], default: 'POST' },
			timeoutSeconds: { type: 'number', title: 'Time-out in seconds', default: 30, exclusiveMinimum: 0 },
			headers: { type: 'object', title: 'Headers', additionalProperties: { type: 'string' } },
			tags: { type: 'array', title: 'Tags', items: { type: 'string' } },
		},
	}),
	'sms.html': {
		contentType: 'text/html; charset=utf-8',
		text: '<!doctype html><title>SMS configuration</title><p>Ask your operator for the settings.</p>',
	},
};
