import type { DefinedOperation } from '../operation';
import { sendMessage } from './send';

/**
 * Shows what Send would do with each item. It is Send itself, up to the compiled call: with the same fields, so that who
 * switches from one to the other in the editor loses nothing. What it makes of the calls: `report/preview.ts`.
 */
export const previewMessage: DefinedOperation = {
	...sendMessage,
	action: 'Preview a message',
	description: 'See what Send would do with each item. Nothing is sent.',
	effect: 'reads',
	previews: 'send',
};
