import type { ResourceMapperField } from 'n8n-workflow';

/** A field of the form for channel parameters. n8n saves it in the workflow, with all its members. */
export interface FormField extends ResourceMapperField {
	/** What the field is for. n8n's forms don't show it yet; an error about the field does. */
	description?: string;
}

/** The ID of the field for everything that has no field of its own, as a JSON object. */
export const OTHER_FIELDS = '*';

/**
 * Shown in the form in place of a secret that the channel has: the secret itself must not get into the workflow. It is
 * refused when it is sent.
 */
export const HIDDEN_SECRET = '••••••••';
