/**
 * How long a run of `close-month` may take, in seconds: its function is given that timeout, and so is the call of the scheduler,
 * which allows 30 minutes at the most.
 */
export const CLOSE_TIMEOUT_S = 1_800;

/** A month that has been begun takes this long at the most, in seconds: some ten calls of the payment provider, each at its deadline. */
const LAST_MONTH_S = 240;

/** For so many milliseconds a run begins months. */
export const CLOSE_BEGINS_MS = (CLOSE_TIMEOUT_S - LAST_MONTH_S) * 1000;
