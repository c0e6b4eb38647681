import { z } from 'zod';
import { type Asked, ask, call, outcomeOf } from './http-client.ts';
import { every } from './pace.ts';
import { makeSubscriptionEvents } from './subscription-events.ts';
import { Tally } from './tally.ts';
import { type Addresses, createRequest, makeTenant, mintRequest } from './tenant.ts';

/** A steady load, light for one machine. */
const REQUESTS_A_SECOND = 20;
const TIERS = ['wrapped', 'software', 'hsm'] as const;
const plaintext = Buffer.alloc(1_024, 7).toString('base64');
const sealed = z.object({ ciphertext: z.string() });

/** A tenant that does what tenants do. */
export interface OrdinaryTenant {
  /** Sends its requests for so many seconds; what they were answered is there once all of them were. */
  send(seconds: number): Promise<{ readonly answered: Promise<Tally> }>;
}

/** Makes one, with as many API keys that the service has not met as it needs for so many seconds. */
export async function makeOrdinaryTenant(stack: Addresses, url: string, seconds: number): Promise<OrdinaryTenant> {
  const next = await makeRequests(stack, url, seconds);
  return {
    async send(forSeconds) {
      const tally = new Tally();
      const underWay: Promise<void>[] = [];
      await every(1_000 / REQUESTS_A_SECOND, AbortSignal.timeout(forSeconds * 1_000), () => {
        underWay.push(askNoting(url, next(), tally));
      });
      return { answered: Promise.all(underWay).then(() => tally) };
    },
  };
}

/** Sends a request, and notes what it was answered and when, an answer that never came included. */
export async function askNoting(url: string, asked: Asked, tally: Tally, stopped?: AbortSignal): Promise<void> {
  const startedAt = performance.now();
  const outcome = await ask(url, asked, stopped).then(outcomeOf, () => 'no answer');
  if (!stopped?.aborted) tally.note(outcome, performance.now() - startedAt);
}

/** The tenant's requests, one after another: encryption and decryption, but for two in twenty. */
async function makeRequests(stack: Addresses, url: string, seconds: number): Promise<() => Asked> {
  const tenant = await makeTenant(stack);
  const { apiKey: token } = tenant;
  const unmet = await Promise.all(Array.from({ length: seconds }, () => tenant.mint()));
  const events = await makeSubscriptionEvents(stack, tenant.id);
  const onKey = (id: string, operation: string, body?: unknown): Asked => ({
    method: 'POST',
    path: `/v1/keys/${id}/${operation}`,
    token,
    ...(body !== undefined && { body }),
  });
  const list = { method: 'GET', path: '/v1/keys' };
  const uses = await Promise.all(
    TIERS.map(async (tier) => {
      const id = await tenant.createKey(url, tier);
      const encrypt = onKey(id, 'encrypt', { plaintext });
      const { ciphertext } = await call(url, encrypt, sealed);
      return [encrypt, onKey(id, 'decrypt', { ciphertext })];
    }),
  );
  const usual = uses.flat();
  const rotated = {
    wrapped: await tenant.createKey(url, 'wrapped'),
    software: await tenant.createKey(url, 'software'),
  };
  const rarely = [
    () => createRequest(token, 'software'),
    () => events.next(),
    () => onKey(rotated.software, 'rotate'),
    () => mintRequest(tenant.accessToken),
    () => onKey(rotated.wrapped, 'rotate'),
  ];
  let sent = 0;
  return () => {
    const n = sent++;
    const second = Math.floor(n / REQUESTS_A_SECOND);
    switch (n % REQUESTS_A_SECOND) {
      case 5:
        // The first use of an API key: its secret is checked.
        return { ...list, token: unmet.pop() ?? token };
      case 15:
        return rarely[second % rarely.length]?.() ?? list;
      default:
        return usual[n % usual.length] ?? list;
    }
  };
}
