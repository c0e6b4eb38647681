import { beforeAll, describe, expect, inject, test } from 'vitest';
import { makeTenant, type Tenant } from '../../../../test/support/tenant.ts';
import { atTerminal, hasTerminal } from '../../support/terminal.ts';

const stack = inject('stack');
let tenant: Tenant;
let env: Record<string, string>;

beforeAll(async () => {
  tenant = await makeTenant(stack);
  env = { ESK_URL: stack.baseUrl, ESK_API_KEY: tenant.console.token ?? '' };
});

const stateOf = async (id: string) => (await tenant.api.send('GET', `/v1/keys/${id}`)).body;

describe.skipIf(!hasTerminal)('esk at a terminal (skipped if `script` is missing)', () => {
  test('at a terminal, keys destroy destroys a key only after the person has typed the key’s name', async () => {
    const id = await tenant.createKey('wrapped', 'scratch');
    const refused = await atTerminal(['keys', 'destroy', id], 'scratches\n', { env });
    expect(refused.code).toBe(1);
    expect(refused.shown).toContain('Everything encrypted with it becomes permanently unreadable.');
    expect(refused.shown).toMatch(/^esk: not_confirmed: /m);
    expect(await stateOf(id)).toMatchObject({ state: 'active' });
    expect((await atTerminal(['keys', 'destroy', id], 'scratch\n', { env })).code).toBe(0);
    expect(await stateOf(id)).toMatchObject({ error: 'not_found' });
  });

  test('at a terminal, keys rotate asks for confirmation only if old data becomes unreadable', async () => {
    await tenant.createKey('software', 'kept');
    const wrapped = await tenant.createKey('wrapped', 'lost');
    const kept = await atTerminal(['keys', 'rotate', 'kept'], '', { env });
    expect(kept).toEqual({ code: 0, shown: expect.not.stringContaining('confirm') });
    // Ctrl-D ends the input without any text.
    const lost = await atTerminal(['keys', 'rotate', 'lost'], '\u0004', { env });
    expect(lost).toEqual({ code: 1, shown: expect.stringContaining('permanently unreadable') });
    expect(await stateOf(wrapped)).toMatchObject({ primary_version: 1 });
    expect((await atTerminal(['keys', 'rotate', 'lost'], 'lost\n', { env })).code).toBe(0);
    expect(await stateOf(wrapped)).toMatchObject({ primary_version: 2 });
  });

  test('at a terminal, headings are bold unless NO_COLOR is set', async () => {
    const { shown } = await atTerminal(['keys', 'list'], '', { env });
    expect(shown).toContain('\u001b[1mNAME');
    const plain = await atTerminal(['keys', 'list'], '', { env: { ...env, NO_COLOR: '1' } });
    expect(plain).toEqual({ code: 0, shown: expect.not.stringContaining('\u001b[1m') });
  });

  test('esk does not write binary ciphertext to a terminal', async () => {
    const { code, shown } = await atTerminal(['encrypt', '--key', 'kept', '/dev/null'], '', { env });
    expect({ code, shown }).toEqual({ code: 2, shown: expect.stringContaining('use -o FILE or --armor') });
  });
});
