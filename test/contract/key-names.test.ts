import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { eventsOfKey, inWords } from '../support/audit.ts';
import { outcome, text } from '../support/client.ts';
import { keyObject, read } from '../support/objects.ts';
import { makeTenant, type Tenant } from '../support/tenant.ts';

const stack = inject('stack');

/** Names and what becomes of them, at a creation and at a renaming alike. */
const NAMES: readonly (readonly [string, string, boolean])[] = [
  ['one character', 'a', true],
  ['128 characters', 'n'.repeat(128), true],
  ['128 characters outside the basic plane', '🔑'.repeat(128), true],
  ['white space around', '  orders  ', true],
  ['a slash, quotes and a null in words', `a/b"c'd\\ null __proto__`, true],
  ['U+00A0, which is no control character', 'a\u00a0b', true],
  ['a lone joiner', '\u200d', true],
  ['nothing', '', false],
  ['129 characters', 'n'.repeat(129), false],
  ['129 characters outside the basic plane', '🔑'.repeat(129), false],
  ['spaces only', '   ', false],
  ['other white space only', '\u00a0\u2003\u3000', false],
  ['a line feed', 'a\nb', false],
  ['U+0000', 'a\u0000', false],
  ['U+001F', '\u001fa', false],
  ['U+007F', 'a\u007fb', false],
  ['U+0080', 'a\u0080b', false],
  ['U+009F', 'a\u009fb', false],
];

async function makeContainer({ console }: Tenant): Promise<string> {
  return text(await console.send('POST', '/v1/containers', { name: randomUUID() }), 'id');
}

let tenant: Tenant;
beforeAll(async () => {
  tenant = await makeTenant(stack);
});

test.each(NAMES)('a name of %s: accepted as it is, or 400 invalid_name', async (_of, name, isAccepted) => {
  const created = await tenant.api.send('POST', '/v1/keys', { name, tier: 'wrapped' });
  expect(outcome(created)).toBe(isAccepted ? '201' : '400 invalid_name');
  if (isAccepted) expect(text(created, 'name')).toBe(name);
  const path = `/v1/keys/${await tenant.createKey('wrapped')}`;
  const before = text(await tenant.api.send('GET', path), 'name');
  if (isAccepted) await tenant.api.send('PATCH', `/v1/keys/${text(created, 'id')}`, { name: randomUUID() });
  const renamed = await tenant.api.send('PATCH', path, { name });
  expect(outcome(renamed)).toBe(isAccepted ? '200' : '400 invalid_name');
  expect(text(await tenant.api.send('GET', path), 'name')).toBe(isAccepted ? name : before);
});

describe('a name among the keys of a container', () => {
  test('is given to exactly one of twenty creations at once', async () => {
    const tenant = await makeTenant(stack);
    const clients = [tenant.api, tenant.console, (await tenant.mint()).client, (await tenant.mint()).client];
    const body = { name: 'orders', tier: 'wrapped' };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => clients.map((client) => client.send('POST', '/v1/keys', body))).flat(),
    );
    expect(answers.map(outcome).sort()).toEqual(['201', ...Array(19).fill('409 key_exists')]);
    expect(read(keyObject.array(), await tenant.console.send('GET', '/v1/keys'))).toHaveLength(1);
  });

  test('is the container’s own: another container has it too, whatever the case or composition it differs in', async () => {
    const tenant = await makeTenant(stack);
    const other = await makeContainer(tenant);
    const create = async (name: string, container_id?: string) =>
      outcome(await tenant.console.send('POST', '/v1/keys', { name, tier: 'wrapped', container_id }));
    expect(await create('caf\u00e9')).toBe('201');
    expect(await create('caf\u00e9', other)).toBe('201');
    expect(await create('caf\u00e9')).toBe('409 key_exists');
    expect(await create('CAF\u00c9')).toBe('201');
    expect(await create('cafe\u0301')).toBe('201');
  });

  test('comes before the place of a free key when both are taken', async () => {
    const tenant = await makeTenant(stack, 'none');
    await tenant.createKey('free', 'orders');
    const create = async (name: string) => outcome(await tenant.api.send('POST', '/v1/keys', { name, tier: 'free' }));
    expect(await create('orders')).toBe('409 key_exists');
    expect(await create('invoices')).toBe('409 free_key_exists');
  });
});

describe('renaming', () => {
  test('changes the name alone, frees the old one at once and keeps ciphertext readable', async () => {
    const tenant = await makeTenant(stack);
    const created = read(keyObject, await tenant.api.send('POST', '/v1/keys', { name: 'orders', tier: 'software' }));
    const path = `/v1/keys/${created.id}`;
    const sealed = await tenant.api.send('POST', `${path}/encrypt`, { plaintext: 'AAAA' });
    const renamed = await tenant.api.send('PATCH', path, { name: 'invoices' });
    expect(renamed).toMatchObject({ status: 200, body: { ...created, name: 'invoices' } });
    const opened = await tenant.api.send('POST', `${path}/decrypt`, { ciphertext: text(sealed, 'ciphertext') });
    expect(outcome(opened)).toBe('200');
    expect(outcome(await tenant.api.send('POST', '/v1/keys', { name: 'orders', tier: 'wrapped' }))).toBe('201');
    expect(outcome(await tenant.console.send('PATCH', path, { name: 'orders' }))).toBe('409 key_exists');
    expect(inWords(await eventsOfKey(tenant.api, created.id)).slice(-2)).toEqual(['decrypt', 'rename_key key_exists']);
  });

  test('to the current name is 200 and leaves no row', async () => {
    const tenant = await makeTenant(stack);
    const created = read(keyObject, await tenant.api.send('POST', '/v1/keys', { name: 'orders', tier: 'wrapped' }));
    const renamed = await tenant.console.send('PATCH', `/v1/keys/${created.id}`, { name: 'orders' });
    expect(renamed).toMatchObject({ status: 200, body: created });
    expect(inWords(await eventsOfKey(tenant.api, created.id))).toEqual(['create_key']);
  });

  test('checks the name before the state', async () => {
    const tenant = await makeTenant(stack);
    const path = `/v1/keys/${await tenant.createKey('wrapped', 'orders')}`;
    await tenant.api.send('DELETE', path);
    const rename = async (name: string) => outcome(await tenant.api.send('PATCH', path, { name }));
    expect(await rename('')).toBe('400 invalid_name');
    expect(await rename('orders')).toBe('409 key_pending_deletion');
    expect(await rename('invoices')).toBe('409 key_pending_deletion');
  });

  test('of five keys to one name at once succeeds once', async () => {
    const tenant = await makeTenant(stack);
    const ids = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => tenant.createKey('wrapped', name)));
    const answers = await Promise.all(
      ids.map((id) => tenant.api.send('PATCH', `/v1/keys/${id}`, { name: 'the one name' })),
    );
    expect(answers.map(outcome).sort()).toEqual(['200', ...Array(4).fill('409 key_exists')]);
  });
});

test('the place of a free key is given to exactly one of twelve creations at once, across containers', async () => {
  const tenant = await makeTenant(stack, 'none');
  const containers = [undefined, await makeContainer(tenant), await makeContainer(tenant), await makeContainer(tenant)];
  const creations = containers.flatMap((container_id) =>
    [1, 2, 3].map(() => ({ name: randomUUID(), tier: 'free', container_id })),
  );
  const answers = await Promise.all(creations.map((body) => tenant.console.send('POST', '/v1/keys', body)));
  expect(answers.map(outcome).sort()).toEqual(['201', ...Array(11).fill('409 free_key_exists')]);
});
