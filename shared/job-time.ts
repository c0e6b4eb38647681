/** How long a call of a scheduled function may take, in seconds: the timeout that it is deployed with. */
export const JOB_TIMEOUT_S = 300;

/** For how long a run begins something new, in milliseconds: what it has begun by then has a minute to come to its end. */
export const JOB_BEGINS_MS = (JOB_TIMEOUT_S - 60) * 1_000;
