import { afterAll, afterEach, beforeAll, inject } from 'vitest';
import { z } from 'zod';
import { type Addresses, send } from './client.ts';
import { forgetTenants, StoreLocked } from './forget.ts';
import { mendStack } from './steer.ts';

const addresses = z.object({ baseUrl: z.string(), controlUrl: z.string() });

/**
 * Returns the addresses of a separate stack for the calling test file. They can be read only after `beforeAll`. Resets
 * the stack's clock and faults after each test, and removes its tenants after the file. A stack whose store is locked then is not lent again.
 */
export function ownStack(...flags: readonly string[]): Addresses {
  const lender = inject('lender');
  const billing = !flags.some((flag) => flag === '--no-billing' || flag === '--no-console');
  let lent: Addresses | undefined;
  const ready = (): Addresses => {
    if (lent === undefined) throw new Error('the stack has no address before beforeAll');
    return lent;
  };
  beforeAll(async () => {
    const { status, body } = await send('POST', `${lender}/lend`, { body: { flags } });
    if (status !== 200) throw new Error(`no stack was lent: ${JSON.stringify(body)}`);
    lent = addresses.parse(body);
  });
  afterEach(() => mendStack(ready()));
  afterAll(async () => {
    if (lent === undefined) return;
    await mendStack(lent);
    const isUsable = await forgetTenants(lent, billing).then(
      () => true,
      (error: unknown) => {
        if (error instanceof StoreLocked) return false;
        throw error;
      },
    );
    await send('POST', `${lender}/return`, { body: { baseUrl: lent.baseUrl, isUsable } });
  });
  return {
    get baseUrl() {
      return ready().baseUrl;
    },
    get controlUrl() {
      return ready().controlUrl;
    },
  };
}
