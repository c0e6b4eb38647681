import type { Admission } from '../auth/admission.ts';
import { readCredential } from '../auth/credential.ts';
import { identify } from '../auth/identify.ts';
import { nextTurn } from '../base/next-turn.ts';
import { prefetch } from '../base/prefetch.ts';
import type { IdentityServices } from '../services.ts';
import type { InputReader } from './input.ts';
import type { Request } from './request.ts';

/** Nearly every body arrives within this many milliseconds. A slower body requires an authenticated sender. */
const SOON_MS = 50;

/**
 * Calls `decide` once the body has arrived or failed, so that every check uses data that was read after the body's
 * arrival. Waits for a slow body only if the sender is authenticated and admitted; `decide` checks this again.
 */
export async function onceArrived<Input, Answer>(
  services: IdentityServices,
  request: Request,
  { takes, admits }: { readonly takes: InputReader<Input>; readonly admits: Admission<unknown> },
  decide: (body: Promise<Input>) => Promise<Answer>,
): Promise<Answer> {
  const { message } = request;
  // If body bytes came together with the head, Node parses them only after it has emitted the request.
  if (takes.body !== undefined && !message.complete) await nextTurn();
  const body = prefetch(takes.read(request));
  if (takes.body !== undefined && !message.complete) {
    readCredential(request.authorization, services.config);
    if (!(await comesSoon(body))) {
      admits.admit(await identify(services, request));
      await Promise.allSettled([body]);
    }
  }
  return decide(body);
}

async function comesSoon(body: Promise<unknown>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(resolve, SOON_MS, false);
  const settled = Promise.allSettled([body]).then(() => true);
  try {
    return await Promise.race([settled, late]);
  } finally {
    clearTimeout(timer);
  }
}
