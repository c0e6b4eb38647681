import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { ROOT } from '../../sources.ts';
import { outcome } from '../../support/client.ts';
import { serviceSettings, signInSettings } from '../../support/second-service.ts';
import { ALL_TIERS, Client, makeTenant, signIn, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
const run = promisify(execFile);
const provisioned = z.strictObject({
  tenant_id: z.uuid(),
  container_id: z.uuid(),
  user_id: z.uuid().nullable(),
  api_key_id: z.uuid(),
  api_key: z.string(),
});

/** What a command of the operator prints. Throws with all that it said when it fails. */
async function operator(command: string, ...args: readonly string[]): Promise<unknown> {
  const env = { PATH: process.env.PATH, ...serviceSettings(stack), ...signInSettings(stack) };
  const { stdout } = await run(process.execPath, [`operator/${command}.ts`, ...args], { cwd: ROOT, env });
  return JSON.parse(stdout);
}

const provision = async (...args: readonly string[]) => provisioned.parse(await operator('provision', ...args));
const list = (token: string) => new Client(stack, token).send('GET', '/v1/keys');

describe.concurrent('operator/provision.ts', () => {
  test('makes a tenant, with an API key that may do everything', async () => {
    const made = await provision();
    expect(made.user_id).toBeNull();
    const api = new Client(stack, made.api_key);
    const created = await api.send('POST', '/v1/keys', { name: 'first', tier: 'free' });
    expect(created).toMatchObject({ status: 201, body: { container_id: made.container_id } });
    const { id } = z.object({ id: z.string() }).parse(created.body);
    expect(outcome(await api.send('POST', `/v1/keys/${id}/wrap`, {}))).toBe('200');
  });

  test('mints an API key of the default container for a tenant that is there', async () => {
    const tenant = await makeTenant(stack);
    const keys = await Promise.all(ALL_TIERS.map((tier) => tenant.createKey(tier)));
    const made = await provision('--tenant', tenant.id, '--api-key');
    expect(made).toMatchObject({ tenant_id: tenant.id, user_id: null });
    const seen = z.array(z.object({ id: z.string() })).parse((await list(made.api_key)).body);
    expect(new Set(seen.map(({ id }) => id))).toEqual(new Set(keys));
  });

  test('makes a subject an owner of a tenant that is there, once', async () => {
    const { id } = await makeTenant(stack);
    const subject = randomUUID();
    const link = () => operator('provision', '--tenant', id, '--subject', subject);
    const linked = provisioned.pick({ tenant_id: true, container_id: true, user_id: true }).parse(await link());
    const me = await (await signIn(stack, subject)).send('GET', '/v1/me');
    expect(me).toMatchObject({ status: 200, body: { user: { id: linked.user_id }, tenant: { id }, role: 'owner' } });
    expect(await link()).toEqual({ ...linked, user_id: null });
  });

  test.each([
    ['a tenant that is none', ['--tenant', randomUUID(), '--api-key'], 'there is no such tenant'],
    ['what is no UUID', ['--tenant', 'acme'], 'not a UUID'],
    ['an option that is none', ['--api-keys'], 'Unknown option'],
  ])('refuses %s', async (_, args, message) => {
    await expect(provision(...args)).rejects.toThrow(message);
  });
});

describe.concurrent('operator/revoke.ts', () => {
  test.each<[string, (tenant: Tenant) => string]>([
    ['its id', ({ apiKeyId }) => apiKeyId],
    ['the beginning of its token', ({ api }) => String(api.token).slice(0, 30)],
    ['its prefix', ({ api }) => String(api.token).slice(4, 30)],
    ['its whole token', ({ api }) => String(api.token)],
  ])('revokes an API key named by %s', async (_, name) => {
    const tenant = await makeTenant(stack);
    const other = await tenant.mint();
    expect(await operator('revoke', name(tenant))).toEqual({ tenant_id: tenant.id, api_key_id: tenant.apiKeyId });
    expect(outcome(await tenant.api.send('GET', '/v1/keys'))).toBe('401 unauthorized');
    expect(outcome(await other.client.send('GET', '/v1/keys'))).toBe('200');
  });

  test('says the same of an API key that is revoked already', async () => {
    const { id, console, mint } = await makeTenant(stack);
    const revoked = await mint();
    await console.send('DELETE', `/v1/api-keys/${revoked.id}`);
    expect(await operator('revoke', revoked.id)).toEqual({ tenant_id: id, api_key_id: revoked.id });
  });

  test.each([
    ['an API key that is none', [randomUUID()], 'there is no such API key'],
    ['what names none', ['esk_'], 'neither the id of an API key nor the beginning of a token'],
    ['nothing', [], 'neither the id of an API key nor the beginning of a token'],
  ])('refuses %s', async (_, args, message) => {
    await expect(operator('revoke', ...args)).rejects.toThrow(message);
  });
});
