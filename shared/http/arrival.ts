import type { Admission } from '../auth/admission.ts';
import { readCredential } from '../auth/credential.ts';
import { identify } from '../auth/identify.ts';
import { nextTurn } from '../base/next-turn.ts';
import { prefetch } from '../base/prefetch.ts';
import type { IdentityServices } from '../services.ts';
import type { InputReader } from './input.ts';
import type { Request } from './request.ts';

/** Nearly every body is there with its head or a moment later. Whoever's takes longer has to prove who they are first. */
const SOON_MS = 50;

/**
 * Has `decide` make the checks of a route once it is known what became of the body: nothing that they go by is then read
 * before the body's last byte has come. It is given that outcome, to be looked at when it is the body's turn.
 *
 * A body that is slow to come is waited for only if its sender is admitted (steps 3 to 5), for which the request counts
 * as theirs from then on. That decides nothing but the waiting: `decide` proves the credential again.
 */
export async function onceArrived<Input, Answer>(
  services: IdentityServices,
  request: Request,
  { takes, admits }: { readonly takes: InputReader<Input>; readonly admits: Admission<unknown> },
  decide: (body: Promise<Input>) => Promise<Answer>,
): Promise<Answer> {
  const { message } = request;
  // Node tells of a request before it parses what came along with its head: by the next turn it has.
  if (takes.body !== undefined && !message.complete) await nextTurn();
  const body = prefetch(takes.read(request));
  if (takes.body !== undefined && !message.complete) {
    readCredential(request.authorization);
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
