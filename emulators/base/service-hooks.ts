import type { ChildProcess } from 'node:child_process';
import { z } from 'zod';

export type Job = 'destroy-due-keys' | 'close-month' | 'seal-audit';

/** A message from the stack to a process of the service. A deployed function supports only `clock_offset_us`. */
export type Hook =
  | { readonly clock_offset_us: number }
  | { readonly forget_readiness: true }
  | { readonly rate_limit_ms: number | null }
  | { readonly run: Job }
  | { readonly measure: true };

export class ServiceEnded extends Error {
  override name = 'ServiceEnded';
}

const answer = z.union([
  z.object({ id: z.number(), ok: z.unknown() }).refine((message) => 'ok' in message),
  z.object({ id: z.number(), error: z.string() }),
]);

type Waiting = { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void };

/**
 * Sends a message to the process and returns the answer. Rejects with the process's error, or with {@link ServiceEnded}
 * if the process ends before it answers.
 */
export type AskHook = (hook: Hook) => Promise<unknown>;

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
