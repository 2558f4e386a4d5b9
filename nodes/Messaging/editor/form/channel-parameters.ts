import { type ILoadOptionsFunctions, isResourceMapperValue, type ResourceMapperFields } from 'n8n-workflow';

import { Effort } from '../../json/effort';
import { isEmpty, locatorValue } from '../../fields/values';
import { isPlainObject, type JsonObject } from '../../json/plain-object';
import { isUuid } from '../../fields/uuid';
import { readDocument } from '../../service/read-document';
import { asSentence, quoted } from '../../text/readable';
import { channelsOf, type ChannelTypeEntry, channelWithParameters } from '../channels';
import { formFields } from './field';
import { formSchema } from './schema';
import { withHiddenSecrets } from './secrets';
import { sizeOf } from './size';

/** The most characters of present parameters that a form shows. */
const MOST_PRESENT = 200_000;

const TOO_MUCH = 'The present parameters of the channel are too many or too deeply nested for a form.';

/** What a form is made for: a channel type and, on an update, the present parameters. */
interface Subject {
	type: ChannelTypeEntry;
	current?: JsonObject;
}

/** Why there is no form: a whole sentence. */
interface NoForm {
	reason: string;
}

/**
 * The form for a channel's parameters, made from the JSON Schema of its type. Where there is no usable schema, the
 * editor shows the reason and the way out in its place.
 */
export async function channelParameterFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const result = await formOf(this).catch(unreadable);
	if (!('reason' in result)) return result;
	const form = this.getCurrentNodeParameter('parametersForm');
	// A form that is there already stays, with what was entered: n8n would empty it.
	if (isResourceMapperValue(form) && form.schema.length > 0) return { fields: form.schema };
	return { fields: [], emptyFieldsNotice: escaped(result.reason) };
}

async function formOf(context: ILoadOptionsFunctions): Promise<ResourceMapperFields | NoForm> {
	const updating = context.getCurrentNodeParameter('operation') === 'updateParameters';
	const subject = updating ? await channelToUpdate(context) : await typeToCreate(context);
	if ('reason' in subject) return subject;
	const { type, current } = subject;
	const name = quoted(type.name || type.key);
	if (type.configurationSchemaUrl === '') {
		return noForm(`The service gives no schema for the parameters of the channel type ${name}.`);
	}
	if (current !== undefined && sizeOf(current, MOST_PRESENT, new Effort(MOST_PRESENT)) === Infinity) {
		return noForm(TOO_MUCH);
	}
	const document = await readDocument(context, type.configurationSchemaUrl);
	const schema = 'problem' in document ? document : formSchema(document.text);
	if ('problem' in schema) {
		return noForm(`The schema for the parameters of ${name} can't be used: ${schema.problem}.`);
	}
	if (current === undefined) return { fields: formFields(schema, undefined) };
	const shown = withHiddenSecrets(current, schema);
	return shown === undefined ? noForm(TOO_MUCH) : { fields: formFields(schema, shown) };
}

async function typeToCreate(context: ILoadOptionsFunctions): Promise<Subject | NoForm> {
	const chosen = locatorValue(context.getCurrentNodeParameter('channelType'));
	if (isEmpty(chosen)) return noForm('Choose a channel type first: the form depends on it.');
	if (typeof chosen !== 'string' || chosen.startsWith('=')) {
		return noForm('The form needs a channel type that is chosen here, not one from an expression.');
	}
	const key = chosen.trim();
	const channels = await channelsOf(context, false);
	const types = channels.filter(({ type }) => type.key === key).map(({ type }) => type);
	const type = types.find(({ configurationSchemaUrl }) => configurationSchemaUrl !== '') ?? types[0];
	return type === undefined
		? noForm(
				`None of your channels is of the type ${quoted(key)} yet, and its schema is known from such a channel only.`,
			)
		: { type };
}

async function channelToUpdate(context: ILoadOptionsFunctions): Promise<Subject | NoForm> {
	const chosen = locatorValue(context.getCurrentNodeParameter('channelId'));
	if (isEmpty(chosen)) return noForm('Choose a channel first: the form depends on its type.');
	if (!isUuid(chosen)) {
		return noForm('The form needs a channel that is chosen here, not one from an expression.');
	}
	const channel = await channelWithParameters(context, chosen);
	return channel === undefined
		? noForm('The key reaches no channel with this ID.')
		: { type: channel.type, current: isPlainObject(channel.parameters) ? channel.parameters : {} };
}

function noForm(why: string): NoForm {
	return { reason: `${why} Set Parameters Mode to JSON to enter the parameters without a form.` };
}

function unreadable(error: unknown): NoForm {
	const { message, description } = error as { message?: unknown; description?: unknown };
	const advice = typeof description === 'string' ? description : '';
	return { reason: `The form could not be loaded: ${asSentence(String(message))} ${advice}`.trim() };
}

/** The editor shows the notice as HTML. */
function escaped(text: string): string {
	return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
