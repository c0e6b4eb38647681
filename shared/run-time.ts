export const JOB_TIMEOUT_S = 300;

/** For how many milliseconds a run of a job may start new work. Work in progress then has a minute to finish. */
export const JOB_BEGINS_MS = (JOB_TIMEOUT_S - 60) * 1_000;

/** The deadline of `close-month` in seconds. Cloud Scheduler allows at most 30 minutes. */
export const CLOSE_TIMEOUT_S = 1_800;

/** The longest time to close one month, in seconds: ten Stripe calls, each with its full deadline. */
const LAST_MONTH_S = 240;

export const CLOSE_BEGINS_MS = (CLOSE_TIMEOUT_S - LAST_MONTH_S) * 1000;
