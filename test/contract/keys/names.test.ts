import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { outcome, text } from '../../support/client.ts';
import { makeContainer, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');

/** Names, and whether they are accepted at creation and at renaming. */
const NAMES: readonly (readonly [string, string, boolean])[] = [
  ['one character', 'a', true],
  ['128 characters', 'n'.repeat(128), true],
  ['128 characters outside the basic plane', '🔑'.repeat(128), true],
  ['surrounding white space', '  orders  ', true],
  ['a slash, quotes and the word null', `a/b"c'd\\ null __proto__`, true],
  ['U+00A0, which is not a control character', 'a\u00a0b', true],
  ['only a zero-width joiner', '\u200d', true],
  ['no characters', '', false],
  ['129 characters', 'n'.repeat(129), false],
  ['129 characters outside the basic plane', '🔑'.repeat(129), false],
  ['only spaces', '   ', false],
  ['only other white space', '\u00a0\u2003\u3000', false],
  ['a line feed', 'a\nb', false],
  ['U+0000', 'a\u0000', false],
  ['U+001F', '\u001fa', false],
  ['U+007F', 'a\u007fb', false],
  ['U+0080', 'a\u0080b', false],
  ['U+009F', 'a\u009fb', false],
];

let tenant: Tenant;
beforeAll(async () => {
  tenant = await makeTenant(stack);
});

test.each(NAMES)('a key name with %s is accepted at creation and at renaming: $2', async (_of, name, isAccepted) => {
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
  test('a key name is unique in its container, and names that differ only in case or Unicode composition are different', async () => {
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

  test('exactly one of five concurrent renames gets a key name', async () => {
    const tenant = await makeTenant(stack);
    const ids = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => tenant.createKey('wrapped', name)));
    const answers = await Promise.all(
      ids.map((id) => tenant.api.send('PATCH', `/v1/keys/${id}`, { name: 'the one name' })),
    );
    expect(answers.map(outcome).sort()).toEqual(['200', ...Array(4).fill('409 key_exists')]);
  });
});
