import { type ILoadOptionsFunctions, isResourceMapperValue, type ResourceMapperFields } from 'n8n-workflow';

import type { ParameterField } from '../../fields/channel-parameters';
import { isEmpty, locatorValue } from '../../input/values';
import { isPlainObject, type JsonObject, textAt } from '../../shared/json';
import { asSentence, quoted } from '../../shared/text';
import { isUuid } from '../../shared/uuid';
import { channelList, channelRecord } from '../lists';
import { parameterFields } from './fields';
import { NoForm, readDocument } from './read-document';

/** What the form is for: a channel type with this schema and, for an update, the channel's current parameters. */
interface Subject {
	schemaUrl: string;
	current?: JsonObject;
}

/**
 * The form for a channel's parameters, made from the JSON Schema of its type. Without a usable schema, the editor shows
 * the reason and what to do instead.
 */
export async function channelParameterFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	try {
		return { fields: await fieldsFor(this) };
	} catch (error) {
		const form = this.getCurrentNodeParameter('parametersForm');
		// With an empty list, n8n would clear a form that the user may already have filled in.
		if (isResourceMapperValue(form) && form.schema.length > 0) return { fields: form.schema };
		return { fields: [], emptyFieldsNotice: asHtml(reasonIn(error)) };
	}
}

async function fieldsFor(context: ILoadOptionsFunctions): Promise<ParameterField[]> {
	const updating = context.getCurrentNodeParameter('operation') === 'updateParameters';
	const { schemaUrl, current } = updating ? await channelToUpdate(context) : await typeToCreate(context);
	if (schemaUrl === '') throw new NoForm('The service offers no schema for this channel type.');
	return parameterFields(await readDocument(context, schemaUrl), current);
}

async function typeToCreate(context: ILoadOptionsFunctions): Promise<Subject> {
	const chosen = locatorValue(context.getCurrentNodeParameter('channelType'));
	if (isEmpty(chosen)) throw new NoForm('Choose a channel type first. The form depends on it.');
	if (typeof chosen !== 'string' || chosen.startsWith('=')) {
		throw new NoForm("The form needs a channel type that you choose here. An expression can't be used.");
	}
	const key = chosen.trim();
	const channels = await channelList(context, false);
	const found = channels.find(({ type }) => type.key === key);
	if (found !== undefined) return found.type;
	throw new NoForm(
		`The form can't be made: none of your channels has the type ${quoted(key)} yet, and only such a channel shows the schema.`,
	);
}

async function channelToUpdate(context: ILoadOptionsFunctions): Promise<Subject> {
	const chosen = locatorValue(context.getCurrentNodeParameter('channelId'));
	if (isEmpty(chosen)) throw new NoForm('Choose a channel first. The form depends on its type.');
	if (!isUuid(chosen)) {
		throw new NoForm("The form needs a channel that you choose here. An expression can't be used.");
	}
	const channel = await channelRecord(context, chosen);
	if (channel === undefined) throw new NoForm('The list that the service sends has no channel with this ID.');
	const schemaUrl = textAt(channel, 'channelType.configurationSchemaUrl');
	return { schemaUrl, current: isPlainObject(channel.parameters) ? channel.parameters : {} };
}

function reasonIn(error: unknown): string {
	if (error instanceof NoForm) return error.message;
	const { message, description } = error as { message?: unknown; description?: unknown };
	const advice = typeof description === 'string' ? description : '';
	return `The form could not be loaded: ${asSentence(String(message))} ${advice}`.trim();
}

/** The editor shows the notice as HTML. */
function asHtml(text: string): string {
	return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
