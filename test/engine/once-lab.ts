/** What the tests of once keys stand on: the lab of deliveries, and messages that each have a key. */
import { randomUUID } from 'node:crypto';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { DeliveryLab } from './delivery-lab.ts';
import type { EngineOptions } from './engine.ts';
import { useLab } from './lab.ts';
import type { Run } from './run.ts';
import type { NodeSettings } from './workflow.ts';

/** One message, and its key in `id`. */
export interface Order extends IDataObject {
	to: string;
	text: string;
	id: string;
}

/** A lab whose node sends orders. */
export class OnceLab extends DeliveryLab {
	/** Sends `text` to `to` of each item under the key `id`. */
	once(options: INodeParameters = {}): INodeParameters {
		return this.send({ onceKey: '={{ $json.id }}', keepToPlan: false, ...options });
	}

	/** Sends them, each once, and goes on behind what fails unless told otherwise. */
	async run(
		items: Order[],
		options: INodeParameters = {},
		onError: NodeSettings['onError'] = 'continueRegularOutput',
	): Promise<Run> {
		return await this.execute(this.once(options), { items, settings: { onError } });
	}
}

/** Prepares a lab for the tests of a file. */
export function useOnceLab(options: EngineOptions = {}): OnceLab {
	return new OnceLab(useLab(options));
}

/** Messages, each under a key that no other test has. */
export function orders(count: number, recipients = count): Order[] {
	const day = randomUUID();
	return Array.from({ length: count }, (_, n) => ({
		to: `r${n % recipients}@example.com`,
		text: `text ${n}.`,
		id: `${day} ${n}`,
	}));
}

/** Which items had been sent before. */
export function alreadySent({ json }: Run): boolean[] {
	return json.map((item) => item['alreadySent'] === true);
}
