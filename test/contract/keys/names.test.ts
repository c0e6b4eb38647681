import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { outcome, text } from '../../support/client.ts';
import { makeContainer, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');

/** What the name contains, the name, and whether the service accepts or refuses it. */
const NAMES: readonly (readonly [string, string, 'accepted' | 'refused'])[] = [
  ['one character', 'a', 'accepted'],
  ['128 characters', 'n'.repeat(128), 'accepted'],
  ['128 characters outside the basic plane', '🔑'.repeat(128), 'accepted'],
  ['surrounding white space', '  orders  ', 'accepted'],
  ['a slash, quotes and the word null', `a/b"c'd\\ null __proto__`, 'accepted'],
  ['U+00A0, which is not a control character', 'a\u00a0b', 'accepted'],
  ['only a zero-width joiner', '\u200d', 'accepted'],
  ['no characters', '', 'refused'],
  ['129 characters', 'n'.repeat(129), 'refused'],
  ['129 characters outside the basic plane', '🔑'.repeat(129), 'refused'],
  ['only spaces', '   ', 'refused'],
  ['only other white space', '\u00a0\u2003\u3000', 'refused'],
  ['a line feed', 'a\nb', 'refused'],
  ['U+0000', 'a\u0000', 'refused'],
  ['U+001F', '\u001fa', 'refused'],
  ['U+007F', 'a\u007fb', 'refused'],
  ['U+0080', 'a\u0080b', 'refused'],
  ['U+009F', 'a\u009fb', 'refused'],
];

let tenant: Tenant;
beforeAll(async () => {
  tenant = await makeTenant(stack);
});

test.each(NAMES)('a key name with %s is $2 at creation and at renaming', async (_of, name, verdict) => {
  const isAccepted = verdict === 'accepted';
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

describe('the uniqueness of key names', () => {
  test('a key name is unique in its container, and names that differ only in letter case or Unicode composition count as different', async () => {
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

  test('of five concurrent renames of keys to the same name, exactly one succeeds', async () => {
    const tenant = await makeTenant(stack);
    const ids = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => tenant.createKey('wrapped', name)));
    const answers = await Promise.all(
      ids.map((id) => tenant.api.send('PATCH', `/v1/keys/${id}`, { name: 'the one name' })),
    );
    expect(answers.map(outcome).sort()).toEqual(['200', ...Array(4).fill('409 key_exists')]);
  });
});
