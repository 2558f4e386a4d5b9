/** Time that jumps: what the matrix and the engine's process have to know of it. */

/** How far it jumps. */
export const hour = 3_600_000;

/** The variable that tells the engine's process where its time is told. */
export const timePort = 'MESSAGING_FAULTS_TIME_PORT';
