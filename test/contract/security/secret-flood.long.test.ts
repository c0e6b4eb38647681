import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { outcome } from '../../support/client.ts';
import { ownStack } from '../../support/own-stack.ts';
import { Client, makeTenant, type Tenant } from '../../support/tenant.ts';

/** A separate stack, because the flood uses up the capacity of the process to check secrets. */
const stack = ownStack();
const FLOODED = 6;
/** The number of wrong secrets that are sent at once for one API key, repeatedly. */
const CONCURRENT = 12;
const FIRST_USES = 5;

/** Returns the API key's token with a new random secret. */
function wrongToken({ token = '' }: Client): string {
  return `${token.slice(0, -43)}${randomBytes(32).toString('base64url')}`;
}

function mintSome(tenant: Tenant, count: number): Promise<Client[]> {
  return Promise.all(Array.from({ length: count }, async () => (await tenant.mint()).client));
}

test('wrong secrets for six API keys do not block the first use of other API keys, in the same tenant or another', async () => {
  const [flooded, other] = await Promise.all([makeTenant(stack), makeTenant(stack)]);
  const known = await mintSome(flooded, FLOODED);
  const unused = [...(await mintSome(flooded, FIRST_USES)), ...(await mintSome(other, FIRST_USES))];
  const refusals = new Set<string>();
  const full = Promise.withResolvers<void>();
  let isOver = false;
  const flood = known.flatMap((client) =>
    Array.from({ length: CONCURRENT }, async () => {
      while (!isOver) {
        const refusal = outcome(await new Client(stack, wrongToken(client)).send('GET', '/v1/keys'));
        refusals.add(refusal);
        if (refusal === '503 unavailable') full.resolve();
      }
    }),
  );
  await full.promise;
  const uses = await Promise.all(unused.map((client) => client.send('GET', '/v1/keys')));
  isOver = true;
  await Promise.all(flood);
  expect(uses.map(outcome)).toEqual(Array(2 * FIRST_USES).fill('200'));
  expect(refusals).toContain('401 unauthorized');
});
