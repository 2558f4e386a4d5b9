import { named } from '../shared/text';

/** The longest label in an error, in characters: names inside a JSON value are part of it. */
const LONGEST_LABEL = 200;

/** A parameter has an invalid value. Thrown by `compile`, before any request; `delivery/` adds the item. */
export class InvalidParameter extends Error {
	/**
	 * @param field the field's label as the editor shows it
	 * @param reason what is wrong, a clause that follows the label: "needs a UUID, but ..."
	 * @param hint what to do, a whole sentence
	 */
	constructor(
		readonly field: string,
		reason: string,
		readonly hint: string,
	) {
		super(`The field "${named(field, LONGEST_LABEL)}" ${reason}`);
		this.name = 'InvalidParameter';
	}
}
