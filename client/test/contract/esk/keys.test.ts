import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Answer, text } from '../../../../test/support/client.ts';
import { encrypt, operate, rotate } from '../../../../test/support/operations.ts';
import { makeTenant, type Tenant } from '../../../../test/support/tenant.ts';
import { esk, eskJson } from '../../support/esk.ts';
import { expectFailure, REQUEST } from '../../support/esk-failure.ts';

const stack = inject('stack');
let tenant: Tenant;
let env: Record<string, string>;

beforeAll(async () => {
  tenant = await makeTenant(stack);
  env = { ESK_URL: stack.baseUrl, ESK_API_KEY: tenant.api.token ?? '' };
});

const run = (...args: string[]) => esk(['keys', ...args], { env });
const json = (...args: string[]) => eskJson(['keys', ...args], { env });
const get = async (path: string): Promise<Answer['body']> => (await tenant.api.send('GET', path)).body;

test('a key is created, shown, renamed, rotated, deleted and restored, and --json prints what the API answers', async () => {
  const created = await json('create', 'orders', '--tier', 'software');
  const id = text({ status: 201, headers: new Headers(), body: created }, 'id');
  expect(await get(`/v1/keys/${id}`)).toEqual(created);
  expect(await json('get', 'orders')).toEqual(created);
  expect(await json('list')).toEqual(await get('/v1/keys'));
  expect(await json('rename', id, 'sales')).toMatchObject({ id, name: 'sales' });
  expect(await json('rotate', 'sales')).toMatchObject({ id, primary_version: 2 });
  expect(await json('delete', 'sales')).toEqual(await get(`/v1/keys/${id}`));
  expect(await json('restore', 'sales')).toMatchObject({ id, state: 'active' });
  const events = await get(`/v1/keys/${id}/audit`);
  expect(await json('audit', 'sales')).toEqual(events);
  expect(await eskJson(['audit', '--key', 'sales'], { env })).toEqual(events);
});

test('without --json, esk prints a list as a table and a key as one line for each field', async () => {
  const { id } = Object(await json('create', 'für Ömer', '--tier', 'wrapped'));
  const { stdout, stderr } = await run('list');
  expect(stderr).toBe('');
  const [heading = '', ...lines] = stdout.toString().trimEnd().split('\n');
  expect(heading).toMatch(/^NAME +TIER +STATE +FROZEN AT +PRIMARY VERSION +CREATED AT +ID$/);
  const line = lines.find((one) => one.endsWith(id)) ?? '';
  expect(line.indexOf('wrapped')).toBe(heading.indexOf('TIER'));
  expect((await run('get', id)).stdout.toString()).toMatch(/^id +[0-9a-f-]{36}\nname +für Ömer\ntier +wrapped\n/);
});

describe('freezing a key', () => {
  const asPerson = (...args: string[]) =>
    eskJson(['keys', ...args], { env: { ...env, ESK_API_KEY: tenant.console.token ?? '' } });

  test('freeze and thaw print the key as the API answers it, and the list shows since when a key is frozen', async () => {
    const id = await tenant.createKey('wrapped', 'leaked');
    const frozen = await asPerson('freeze', 'leaked');
    expect(frozen).toEqual(await get(`/v1/keys/${id}`));
    const line = (await run('list')).stdout
      .toString()
      .split('\n')
      .find((one) => one.endsWith(id));
    expect(line).toContain(`active  ${Object(frozen).frozen_at}`);
    expectFailure(await run('rotate', 'leaked', '--yes'), 3, new RegExp(`^esk: key_frozen: .+ ${REQUEST}`));
    expect((await run('rotate', 'leaked', '--dry-run')).stdout.toString()).toMatch(/^The key is frozen: thaw it/);
    expect(await asPerson('thaw', 'leaked')).toMatchObject({ id, frozen_at: null });
  });

  test('freeze and thaw need a signed-in user', async () => {
    const id = await tenant.createKey('wrapped');
    for (const command of ['freeze', 'thaw'])
      expectFailure(await run(command, id), 3, new RegExp(`^esk: session_required: .+ ${REQUEST}`));
  });
});

describe('rotate --dry-run', () => {
  const dryRun = async (key: string) => (await run('rotate', key, '--dry-run')).stdout.toString();

  test('rotate --dry-run describes the rotation and changes nothing', async () => {
    const id = await tenant.createKey('software', 'archive');
    expect(await dryRun('archive')).toBe(
      'Version 2 becomes the primary version.\nVersion 1 can still decrypt.\nNo version is retired.\n' +
        'In the last 30 days, the key was not used.\n',
    );
    const ciphertext = await encrypt(tenant.api, id, 'AAAA');
    await rotate(tenant.api, id, 2);
    await operate(tenant.api, id, 'decrypt', { ciphertext });
    const events = await get(`/v1/keys/${id}/audit`);
    const day = String(Object(events)[0].ts).slice(0, 10);
    const before = [await get(`/v1/keys/${id}`), events];
    expect(await dryRun(id)).toBe(
      'Version 4 becomes the primary version.\nVersions 2 and 3 can still decrypt.\n' +
        'Version 1 is retired: data encrypted with it can no longer be decrypted.\n' +
        `In the last 30 days, 1 of 2 operations needed an older version, the last on ${day}.\n` +
        'Rewrap older data first; files with: esk rewrap FILE…\n',
    );
    expect([await get(`/v1/keys/${id}`), await get(`/v1/keys/${id}/audit`)]).toEqual(before);
  });

  test('rotate --dry-run --json prints what the API answers', async () => {
    const id = await tenant.createKey('wrapped', 'json');
    expect(await json('rotate', 'json', '--dry-run')).toEqual(await get(`/v1/keys/${id}/rotation`));
  });

  test('rotate --dry-run works for an API key that may not rotate', async () => {
    await tenant.createKey('wrapped', 'watched');
    const { client } = await tenant.mint({ allowed_actions: ['encrypt'] });
    const shown = await esk(['keys', 'rotate', 'watched', '--dry-run'], {
      env: { ...env, ESK_API_KEY: client.token ?? '' },
    });
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout.toString()).toContain('Version 1 is retired');
  });
});

test.each(['free', 'wrapped'] as const)('without a terminal, esk rotates a %s key only with --yes', async (tier) => {
  const id = await tenant.createKey(tier);
  const refused = await run('rotate', id);
  expectFailure(refused, 2, /^esk: usage: esk keys rotate makes .+ unreadable; pass --yes, or .+\n$/);
  expect(await get(`/v1/keys/${id}`)).toMatchObject({ primary_version: 1 });
  expect(await json('rotate', id, '--yes')).toMatchObject({ primary_version: 2 });
});

describe('key names', () => {
  test('an unknown key name is refused', async () => {
    expectFailure(await run('get', 'nobody'), 3, new RegExp(`^esk: not_found: no key is named "nobody" ${REQUEST}`));
  });

  test('a key name that exists in two containers requires --container with a name or id', async () => {
    const container = await tenant.console.send('POST', '/v1/containers', { name: 'elsewhere' });
    const within = text(container, 'id');
    const make = (body: object) => tenant.console.send('POST', '/v1/keys', { name: 'twice', tier: 'wrapped', ...body });
    const here = text(await make({}), 'id');
    const there = text(await make({ container_id: within }), 'id');
    // ESK_API_KEY also accepts the token of a session.
    const session = { env: { ...env, ESK_API_KEY: tenant.console.token ?? '' } };
    const failed = await esk(['keys', 'get', 'twice'], session);
    expectFailure(failed, 3, new RegExp(`^esk: ambiguous: .+${here}.+${there} ${REQUEST}`));
    for (const one of ['elsewhere', within]) {
      expect(await eskJson(['keys', 'get', 'twice', '--container', one], session)).toMatchObject({ id: there });
    }
    expect(await eskJson(['keys', 'list', '--container', 'elsewhere'], session)).toMatchObject([{ id: there }]);
    const created = await eskJson(
      ['keys', 'create', 'third', '--tier', 'wrapped', '--container', 'elsewhere'],
      session,
    );
    expect(created).toMatchObject({ container_id: within });
  });
});

describe('commands that lose data', () => {
  test('without a terminal, keys destroy requires --yes', async () => {
    const id = await tenant.createKey('wrapped', 'precious');
    expectFailure(await run('destroy', 'precious'), 2, /^esk: usage: [^()]+--yes[^()]+\n$/);
    expect(await get(`/v1/keys/${id}`)).toMatchObject({ state: 'active', primary_version: 1 });
  });

  test('rotate --yes and destroy --yes need no confirmation, and the audit log of a destroyed key stays readable', async () => {
    const id = await tenant.createKey('wrapped', 'scratch');
    expect(await json('rotate', 'scratch', '--yes')).toMatchObject({ primary_version: 2 });
    const session = { env: { ...env, ESK_API_KEY: tenant.console.token ?? '' } };
    const destroyed = await esk(['keys', 'destroy', 'scratch', '--yes'], session);
    expect(destroyed).toMatchObject({ code: 0, stdout: Buffer.alloc(0), stderr: '' });
    expectFailure(await run('get', id), 3, new RegExp(`^esk: not_found: .+ ${REQUEST}`));
    expect(await json('audit', id, '--limit', '2')).toMatchObject([
      { operation: 'destroy_key' },
      { operation: 'rotate_key' },
    ]);
  });

  test('keys destroy needs a signed-in user', async () => {
    const id = await tenant.createKey('wrapped');
    expectFailure(await run('destroy', id, '--yes'), 3, new RegExp(`^esk: session_required: .+ ${REQUEST}`));
  });
});

test('esk reports a refusal by the service with the error code and the request id', async () => {
  const { code, stderr } = await run('create', randomUUID(), '--tier', 'gold');
  expect({ code, stderr }).toEqual({
    code: 3,
    stderr: expect.stringMatching(new RegExp(`^esk: invalid_tier: .+ ${REQUEST}`)),
  });
});
