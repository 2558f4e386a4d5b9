/** The setup of the once key tests: the delivery lab, and messages with a key each. */
import { randomUUID } from 'node:crypto';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { DeliveryLab } from './delivery-lab.ts';
import type { EngineOptions } from './engine.ts';
import { setUp } from './lab.ts';
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
	/** Sends `text` to `to` of each item under the once key `id`. */
	once(options: INodeParameters = {}): INodeParameters {
		return this.send({ onceKey: '={{ $json.id }}', keepToPlan: false, ...options });
	}

	/** Sends each once; continues after a failure unless told otherwise. */
	async run(
		items: Order[],
		options: INodeParameters = {},
		onError: NodeSettings['onError'] = 'continueRegularOutput',
	): Promise<Run> {
		return await this.execute(this.once(options), { items, settings: { onError } });
	}
}

/** Sets up a lab for a test file. */
export function useOnceLab(options: EngineOptions = {}): OnceLab {
	return setUp(new OnceLab(), options);
}

/** Messages under keys that no other test uses. */
export function orders(count: number, recipients = count): Order[] {
	const day = randomUUID();
	return Array.from({ length: count }, (_, n) => ({
		to: `r${n % recipients}@example.com`,
		text: `text ${n}.`,
		id: `${day} ${n}`,
	}));
}

/** The items reported as sent before. */
export function alreadySent({ json }: Run): boolean[] {
	return json.map((item) => item['alreadySent'] === true);
}
