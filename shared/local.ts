import { z } from 'zod';
import type { MovableClock } from './base/clock.ts';
import { makeGauge } from './base/gauge.ts';
import type { Env } from './env.ts';

const order = z.union([
  z.object({ id: z.number(), clock_offset_us: z.int() }),
  z.object({ id: z.number(), audit_rows: z.literal('down').nullable() }),
  z.object({ id: z.number(), forget_readiness: z.literal(true) }),
  z.object({ id: z.number(), run: z.string() }),
  z.object({ id: z.number(), measure: z.literal(true) }),
]);
type Order = z.output<typeof order>;

/** The work of a scheduled function; it returns its summary. */
export type Job = (env: Env) => Promise<unknown>;

/** By the names of the functions. */
export type Jobs = Readonly<Record<string, Job>>;

/** What the local stack may change in a running service. */
export interface LocalHooks {
  readonly clock: MovableClock;
  auditRowsDown: boolean;
}

/**
 * Obeys the local stack over the process's own channel: it moves the clock, makes audit rows fail, forgets how ready it was
 * found and runs scheduled functions, and tells what it measured of itself. There is nothing to listen on; without the stack as a parent nothing happens, and the configuration refuses
 * the local stack on Cloud Run.
 */
export function obeyLocalStack(env: Env, hooks: LocalHooks, jobs: Jobs): void {
  const measure = makeGauge();
  const obey = async (given: Order): Promise<unknown> => {
    if ('run' in given) return jobs[given.run]?.(env) ?? Promise.reject(new Error(`there is no job ${given.run}`));
    if ('measure' in given) return { ...measure(), trips: { ...env.trips.counts } };
    if ('clock_offset_us' in given) hooks.clock.move(given.clock_offset_us);
    else if ('forget_readiness' in given) env.readiness.forget();
    else hooks.auditRowsDown = given.audit_rows === 'down';
    return {};
  };
  process.on('message', async (message) => {
    const given = order.parse(message);
    try {
      process.send?.({ id: given.id, ok: await obey(given) });
    } catch (error) {
      process.send?.({ id: given.id, error: error instanceof Error ? error.message : 'failed' });
    }
  });
  process.on('disconnect', () => process.exit(0));
  // The stack may have ended before anybody listened.
  if (process.connected === false) process.exit(0);
}
