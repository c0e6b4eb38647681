export const JOB_TIMEOUT_S = 300;

/** How long a run may start new work, in milliseconds; the last work started has a minute to finish. */
export const JOB_BEGINS_MS = (JOB_TIMEOUT_S - 60) * 1_000;

/** The timeout of `close-month` and of its scheduler's call, in seconds; the scheduler allows 30 minutes at most. */
export const CLOSE_TIMEOUT_S = 1_800;

/** The longest time that one month takes, in seconds: some ten Stripe calls, each at its deadline. */
const LAST_MONTH_S = 240;

export const CLOSE_BEGINS_MS = (CLOSE_TIMEOUT_S - LAST_MONTH_S) * 1000;
