/** A server beside n8n that can be stopped, killed and started again with what it had stored. */
export interface StoringService {
	readonly port: number;
	start(): Promise<void>;
	/** Stops it gracefully. */
	stop(): Promise<void>;
	/** Kills it at once, as a crash does. */
	kill(): Promise<void>;
}
