import type { ChildProcess } from 'node:child_process';
import { z } from 'zod';

/** A scheduled function. */
export type Job = 'destroy-due-keys' | 'close-month' | 'seal-audit';

/** What the stack asks of a process of the service. In the deployed shape it can only move the clock, from outside the function's code. */
export type Hook =
  | { readonly clock_offset_us: number }
  | { readonly forget_readiness: true }
  | { readonly run: Job }
  | { readonly measure: true };

/** The process ended before it answered. */
export class ServiceEnded extends Error {
  override name = 'ServiceEnded';
}

const answer = z.union([
  z.object({ id: z.number(), ok: z.unknown() }).refine((message) => 'ok' in message),
  z.object({ id: z.number(), error: z.string() }),
]);

type Waiting = { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void };

/**
 * Asks the process, and resolves to its answer.
 * Rejects with its error, or with {@link ServiceEnded} when it ends first.
 */
export type AskHook = (hook: Hook) => Promise<unknown>;

/** Takes over a process's IPC channel. */
export function openHooks(child: ChildProcess): AskHook {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;

  child.on('message', (message) => {
    const parsed = answer.safeParse(message);
    if (!parsed.success) return;
    const call = waiting.get(parsed.data.id);
    waiting.delete(parsed.data.id);
    if ('error' in parsed.data) call?.reject(new Error(parsed.data.error));
    else call?.resolve(parsed.data.ok);
  });
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new ServiceEnded('the service exited'));
    waiting.clear();
  });

  return (hook) =>
    new Promise((resolve, reject) => {
      lastId += 1;
      const id = lastId;
      waiting.set(id, { resolve, reject });
      child.send({ id, ...hook }, (error) => {
        if (error === null || !waiting.delete(id)) return;
        reject(new ServiceEnded(error.message));
      });
    });
}
