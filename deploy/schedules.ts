/** When a function is called, and why. */
export interface Schedule {
  readonly calls: 'destroy-due-keys' | 'close-month' | 'seal-audit';
  /** In cron's syntax, UTC. */
  readonly cron: string;
  readonly why: string;
}

/** Every schedule, by its name. */
export const SCHEDULES: Readonly<Record<string, Schedule>> = {
  'destroy-due-keys': {
    calls: 'destroy-due-keys',
    cron: '*/5 * * * *',
    why: 'destroys keys within minutes of their time, and finishes what a crash cut off',
  },
  'close-month': {
    calls: 'close-month',
    cron: '15,45 0 1 * *',
    why: 'on the 1st, while the drafts of Stripe are open; not in the first quarter of an hour; a run takes up to half an hour',
  },
  'close-month-again': { calls: 'close-month', cron: '30 1-23 * * *', why: 'what failed or was missed' },
  'seal-audit': {
    calls: 'seal-audit',
    cron: '*/10 * * * *',
    why: 'what is not sealed yet could be rewritten unseen; a run takes up to five minutes',
  },
};
