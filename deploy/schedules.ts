export interface Schedule {
  readonly calls: 'destroy-due-keys' | 'close-month' | 'seal-audit';
  /** A cron expression, in UTC. */
  readonly cron: string;
  readonly why: string;
}

export const SCHEDULES: Readonly<Record<string, Schedule>> = {
  'destroy-due-keys': {
    calls: 'destroy-due-keys',
    cron: '*/5 * * * *',
    why: 'destroys keys within minutes of their due time, and finishes work that a crash interrupted',
  },
  'close-month': {
    calls: 'close-month',
    cron: '15,45 0 1 * *',
    why: "closes the previous month while Stripe's draft invoices are still open; a run takes up to 30 minutes",
  },
  'close-month-again': {
    calls: 'close-month',
    cron: '30 1-23 * * *',
    why: 'closes months that an earlier run missed or failed to close',
  },
  'seal-audit': {
    calls: 'seal-audit',
    cron: '*/10 * * * *',
    why: 'seals new audit events (an unsealed event can be rewritten without a trace); a run takes up to 5 minutes',
  },
};
