import {
	type ILoadOptionsFunctions,
	isResourceMapperValue,
	type ResourceMapperField,
	type ResourceMapperFields,
} from 'n8n-workflow';

import { isByName, NamedList } from '../../input/by-name';
import { readDocument, Unusable } from '../../service/read-document';
import { asHtml, asSentence, quoted } from '../../shared/text';
import { channelList, chosenIn } from '../lists';
import { parameterFields } from './fields';

/** Why there is no form. */
class NoForm extends Error {}

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
		// The editor shows the notice as HTML.
		return { fields: [], emptyFieldsNotice: asHtml(whyNoForm(error)) };
	}
}

async function fieldsFor(context: ILoadOptionsFunctions): Promise<ResourceMapperField[]> {
	const isUpdate = context.getCurrentNodeParameter('operation') === 'updateParameters';
	const [field, what] = isUpdate ? ['channelId', 'channel'] : ['channelType', 'channel type'];
	const chosen = chosenIn(context, field);
	if (chosen === '') {
		throw new NoForm(`Choose a ${what} first, without an expression. The form depends on it.`);
	}
	const channels = await channelList(context);
	const found = isUpdate
		? chosenChannel(channels, chosen, isByName(context.getCurrentNodeParameter('channelId')))
		: channels.find(({ type }) => type.key === chosen);
	if (found === undefined) {
		throw new NoForm(
			isUpdate
				? 'The list that the service sends has no channel with this ID.'
				: `The form can't be made: none of your channels has the type ${quoted(chosen)} yet, and only such a channel shows the schema.`,
		);
	}
	const { schemaUrl } = found.type;
	if (schemaUrl === '') throw new NoForm('The service offers no schema for this channel type.');
	return parameterFields(await readDocument(context, schemaUrl), isUpdate ? 'update' : 'create');
}

function chosenChannel<T extends Record<'id' | 'name', string>>(
	channels: readonly T[],
	chosen: string,
	isName: boolean,
): T | undefined {
	const records = channels.map(({ id: channelId, name }) => ({ channelId, name }));
	const wanted = isName ? new NamedList('channel', records).idOf(chosen, 'Channel') : chosen;
	return channels.find(({ id }) => id.toLowerCase() === wanted.toLowerCase());
}

function whyNoForm(error: unknown): string {
	const withoutForm = 'To enter the parameters without a form, set Parameters Mode to JSON.';
	if (error instanceof Unusable) {
		return `The schema of the channel type can't be used: ${error.message}. ${withoutForm}`;
	}
	if (error instanceof NoForm) return `${error.message} ${withoutForm}`;
	const { message, description, hint = description } = error as Partial<Record<string, unknown>>;
	const advice = typeof hint === 'string' ? hint : '';
	return `The form could not be loaded: ${asSentence(String(message))} ${advice}`.trim();
}
