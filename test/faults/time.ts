/** Clock jumps, as shared by the matrix and the engine's process. */

/** The length of a jump, in milliseconds. */
export const hour = 3_600_000;

/** The environment variable with the port that sends clock jumps. */
export const timePort = 'MESSAGING_FAULTS_TIME_PORT';
