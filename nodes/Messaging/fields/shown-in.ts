import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

import type { Properties } from './parameter-types';

/** Fields with their names and types as they were. */
export type Shown<P extends Properties> = {
	readonly [I in keyof P]: P[I] extends INodeProperties
		? Omit<P[I], 'displayOptions'> & { displayOptions: IDisplayOptions }
		: never;
};

/** Fields that are shown only in a mode of the form, beside what they depend on themselves. */
export function shownIn<const P extends Properties>(mode: NonNullable<IDisplayOptions['show']>, fields: P) {
	return fields.map((field) => ({
		...field,
		displayOptions: { ...field.displayOptions, show: { ...mode, ...field.displayOptions?.show } },
	})) as unknown as Shown<P>;
}
