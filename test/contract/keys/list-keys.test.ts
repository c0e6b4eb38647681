import { randomUUID } from 'node:crypto';
import { describe, expect, inject, test } from 'vitest';
import { outcome, text } from '../../support/client.ts';
import { type Client, makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');

/** Makes a tenant with keys in two containers, and a key of another tenant. */
async function makeWorld() {
  const [tenant, otherTenant] = [await makeTenant(stack), await makeTenant(stack)];
  const other = text(await tenant.console.send('POST', '/v1/containers', { name: 'other' }), 'id');
  const inOther = (await tenant.mint({ container_id: other })).client;
  const create = async (client: Client) =>
    text(await client.send('POST', '/v1/keys', { name: randomUUID(), tier: 'wrapped' }), 'id');
  const first = await create(tenant.api);
  const second = await create(inOther);
  const third = await create(tenant.console);
  const fourth = await create(inOther);
  const foreign = await create(otherTenant.api);
  const listed = (await tenant.mint({ key_ids: [third] })).client;
  return { tenant, inOther, listed, keys: [first, second, third, fourth] as const, foreign };
}

/** Returns every request that an API key can make about a key. */
function requestsAbout(id: string): readonly (readonly [string, string, unknown?])[] {
  return [
    ['GET', `/v1/keys/${id}`],
    ['PATCH', `/v1/keys/${id}`, { name: 'taken over' }],
    ['DELETE', `/v1/keys/${id}`],
    ['POST', `/v1/keys/${id}/rotate`],
    ['POST', `/v1/keys/${id}/restore`],
    ['POST', `/v1/keys/${id}/encrypt`, { plaintext: 'AAAA' }],
    ['POST', `/v1/keys/${id}/decrypt`, { ciphertext: 'AAAA' }],
    ['POST', `/v1/keys/${id}/wrap`, {}],
    ['POST', `/v1/keys/${id}/unwrap`, { wrapped: 'AAAA' }],
    ['POST', `/v1/keys/${id}/rewrap`, { ciphertext: 'AAAA' }],
    ['GET', `/v1/keys/${id}/audit`],
  ];
}

async function outcomes(client: Client, id: string): Promise<string[]> {
  const answers: string[] = [];
  for (const [method, path, body] of requestsAbout(id)) answers.push(outcome(await client.send(method, path, body)));
  return answers;
}

describe('a key that the caller cannot reach', () => {
  test.each([
    ['belongs to another container', (world: World) => world.keys[1]],
    ['belongs to another tenant', (world: World) => world.foreign],
    ['does not exist', () => randomUUID()],
  ] as const)('an API key gets 404 from every route for a key that %s, and changes nothing', async (_which, choose) => {
    const world = await makeWorld();
    const { tenant } = world;
    const before = (await tenant.console.send('GET', '/v1/keys')).body;
    expect(await outcomes(tenant.api, choose(world))).toEqual(Array(11).fill('404 not_found'));
    expect((await tenant.console.send('GET', '/v1/keys')).body).toEqual(before);
  });

  test('a session gets 404 for another tenant’s key, but can read keys in every container of its tenant', async () => {
    const { tenant, keys, foreign } = await makeWorld();
    expect(outcome(await tenant.console.send('GET', `/v1/keys/${foreign}`))).toBe('404 not_found');
    for (const id of keys) expect(outcome(await tenant.console.send('GET', `/v1/keys/${id}`))).toBe('200');
  });
});

type World = Awaited<ReturnType<typeof makeWorld>>;
