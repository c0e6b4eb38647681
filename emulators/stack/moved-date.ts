/*
 * Moves the clock of a deployed function. Node loads this module before the bundle. The stack sends changes of the
 * clock over IPC, so the bundle contains no code for tests.
 */
import { z } from 'zod';

const hook = z.object({ id: z.number(), clock_offset_us: z.number() });

let offsetMs = 0;
const MachineDate = globalThis.Date;

globalThis.Date = new Proxy(MachineDate, {
  construct: (target, given, as) => Reflect.construct(target, given.length === 0 ? [now()] : given, as),
  get: (target, name, as) => (name === 'now' ? now : Reflect.get(target, name, as)),
});

function now(): number {
  return MachineDate.now() + offsetMs;
}

process.on('message', (message) => {
  const given = hook.safeParse(message);
  if (!given.success) return;
  offsetMs = Math.floor(given.data.clock_offset_us / 1000);
  process.send?.({ id: given.data.id, ok: {} });
});
