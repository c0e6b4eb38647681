import { z } from 'zod';
import type { MovableClock } from './base/clock.ts';

const request = z.union([
  z.object({ id: z.number(), clock_offset_us: z.int() }),
  z.object({ id: z.number(), audit_rows: z.literal('down').nullable() }),
]);

/** What the local stack may change in a running service. */
export interface LocalHooks {
  readonly clock: MovableClock;
  auditRowsDown: boolean;
}

/**
 * Obeys the local stack over the process's own channel: it moves the clock and makes audit rows fail. There is nothing
 * to listen on; without the stack as a parent nothing happens, and the configuration refuses the local stack on Cloud Run.
 */
export function obeyLocalStack(hooks: LocalHooks): void {
  process.on('message', (message) => {
    const parsed = request.safeParse(message);
    if (!parsed.success) return void process.send?.({ id: idOf(message), error: 'not understood' });
    if ('clock_offset_us' in parsed.data) hooks.clock.offsetUs = parsed.data.clock_offset_us;
    else hooks.auditRowsDown = parsed.data.audit_rows === 'down';
    process.send?.({ id: parsed.data.id, ok: {} });
  });
  process.on('disconnect', () => process.exit(0));
}

function idOf(message: unknown): number | undefined {
  return z.object({ id: z.number() }).safeParse(message).data?.id;
}
