import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { outcome } from '../../support/client.ts';
import { ownStack } from '../../support/own-stack.ts';
import { Client, makeTenant, type Tenant } from '../../support/tenant.ts';

/** The flood takes what secret checks the process can do. */
const stack = ownStack();
const FLOODED = 6;
/** Wrong secrets of one API key that are sent side by side, again and again. */
const SIDE_BY_SIDE = 12;
const FIRST_USES = 5;

/** The API key's token with another secret, each time another. */
function wrongToken({ token = '' }: Client): string {
  return `${token.slice(0, -43)}${randomBytes(32).toString('base64url')}`;
}

function mintSome(tenant: Tenant, count: number): Promise<Client[]> {
  return Promise.all(Array.from({ length: count }, async () => (await tenant.mint()).client));
}

test('wrong secrets for six API keys lock out no other API key’s first use, of the tenant or another', async () => {
  const [flooded, other] = await Promise.all([makeTenant(stack), makeTenant(stack)]);
  const known = await mintSome(flooded, FLOODED);
  const unused = [...(await mintSome(flooded, FIRST_USES)), ...(await mintSome(other, FIRST_USES))];
  const refusals = new Set<string>();
  const full = Promise.withResolvers<void>();
  let isOver = false;
  const flood = known.flatMap((client) =>
    Array.from({ length: SIDE_BY_SIDE }, async () => {
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
