import { afterAll, afterEach, beforeAll, inject } from 'vitest';
import { z } from 'zod';
import { type Addresses, send } from './client.ts';
import { mendStack } from './steer.ts';

const addresses = z.object({ baseUrl: z.string(), controlUrl: z.string() });

/**
 * A stack that the calling test file has for itself, put right (clock and faults) after each of its tests; others have
 * had it before, so there are tenants in it. Its addresses are there from `beforeAll` on.
 */
export function ownStack(...flags: readonly string[]): Addresses {
  const lender = inject('lender');
  let lent: Addresses | undefined;
  const had = (): Addresses => {
    if (lent === undefined) throw new Error('the stack is not there yet');
    return lent;
  };
  beforeAll(async () => {
    const answer = await send('POST', `${lender}/lend`, { body: { flags } });
    lent = addresses.parse(answer.body);
  });
  afterEach(() => mendStack(had()));
  afterAll(async () => {
    if (lent === undefined) return;
    await mendStack(lent);
    await send('POST', `${lender}/return`, { body: { baseUrl: lent.baseUrl } });
  });
  return {
    get baseUrl() {
      return had().baseUrl;
    },
    get controlUrl() {
      return had().controlUrl;
    },
  };
}
