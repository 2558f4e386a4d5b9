import { named } from '../shared/text';

/** How much of a field's label an error shows: below the parameter's own, it may hold names that users gave. */
const LONGEST_LABEL = 200;

/**
 * A parameter holds something that may not go to the service. Thrown by `compile`, before any request;
 * `delivery/` adds the item and turns it into an error that n8n shows.
 */
export class InvalidParameter extends Error {
	/**
	 * @param field the field's label as the editor shows it
	 * @param reason what is wrong with the value, a clause that follows the label: "needs a UUID, but ..."
	 * @param hint how to get unstuck, a whole sentence
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
