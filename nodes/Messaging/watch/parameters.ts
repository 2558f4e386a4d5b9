import { type IPollFunctions, NodeOperationError } from 'n8n-workflow';

import { InvalidParameter } from '../fields/invalid-parameter';
import { isEmpty } from '../fields/values';
import { isPlainObject } from '../json/plain-object';
import type { Service } from '../service/connect';
import { maskShapes } from '../service/tokens';
import { triggerFields } from './fields';
import { readWatch } from './read-watch';
import type { Watch } from './watch';

/** What the trigger is set to look for. Throws a NodeOperationError that names the field when one does not fit. */
export function watchOf(context: IPollFunctions, service: Service): Watch {
	try {
		return readWatch({ read: reader(context), timezone: context.getTimezone(), callId: '' }, service);
	} catch (error) {
		// Anything else comes from n8n while it resolves an expression: its own words say what is wrong.
		if (!(error instanceof InvalidParameter)) throw new NodeOperationError(context.getNode(), error as Error);
		// What a field holds that is refused may be a key, entered in the wrong place.
		throw new NodeOperationError(context.getNode(), maskShapes(error.message), { description: error.hint });
	}
}

/** Reads the parameters. A filter whose expression finds nothing is refused: all channels would be watched. */
function reader(context: IPollFunctions): (name: string) => unknown {
	return (name) => {
		const field = triggerFields.find((candidate) => candidate.name === name);
		const fallback = field?.default ?? '';
		const value: unknown = context.getNodeParameter(name, fallback);
		if (field?.type !== 'resourceLocator' || !isEmpty(contentOf(value))) return value;
		const entered = contentOf(context.getNodeParameter(name, fallback, { rawExpressions: true }));
		if (isEmpty(entered)) return value;
		throw new InvalidParameter(
			field.displayName,
			'has an expression that finds no value',
			'Correct the expression, or leave the field empty to watch all.',
		);
	};
}

/** What is entered in a locator. */
function contentOf(value: unknown): unknown {
	return isPlainObject(value) && 'mode' in value ? value.value : value;
}
