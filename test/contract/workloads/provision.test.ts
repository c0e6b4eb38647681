import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { z } from 'zod';
import { portsOf, workloadIssuerOf } from '../../../emulators/stack/ports.ts';
import { ROOT } from '../../sources.ts';
import { outcome } from '../../support/client.ts';
import { noteTenant } from '../../support/forget-rows.ts';
import { serviceSettings } from '../../support/second-service.ts';
import { Client } from '../../support/tenant.ts';
import { workloadToken } from '../../support/workloads.ts';

const stack = inject('stack');
const issuer = workloadIssuerOf(portsOf(stack));
const WORKLOAD_ISSUERS = JSON.stringify([{ issuer, claims: ['sub'] }]);
const FEDERATIONS = JSON.stringify([{ issuer, claims: { sub: 'job' } }]);
const run = promisify(execFile);
const provisioned = z.object({ tenant_id: z.uuid(), api_key_id: z.uuid(), api_key: z.string().nullable() });

const provision = (...args: string[]) =>
  run(process.execPath, ['operator/provision.ts', ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...serviceSettings(stack), WORKLOAD_ISSUERS },
  });

test('provision.ts makes an API key for a workload, with an expiry and without a token', async () => {
  const expires_at = '2100-01-01T00:00:00.000001Z';
  const { stdout } = await provision('--federations', FEDERATIONS, '--expires-at', expires_at, '--without-token');
  const { tenant_id, api_key_id, api_key } = provisioned.parse(JSON.parse(stdout));
  noteTenant(stack, tenant_id);
  expect(api_key).toBeNull();
  const job = new Client(stack, await workloadToken(stack, api_key_id, { sub: 'job' }));
  expect(outcome(await job.send('GET', '/v1/caller'))).toBe('200');
});

test.each([
  [['--federations', '[{"issuer":"https://a.example","claims":{"sub":"a"}}]'], 'federations.0.issuer must be'],
  [['--federations', '{}'], '--federations: must be a JSON list'],
  [['--federations', 'x'], '--federations: must be a JSON list'],
  [['--expires-at', '2020-01-01T00:00:00Z'], 'expires_at must be a future time'],
  [['--tenant', crypto.randomUUID(), '--without-token'], 'add --api-key'],
])('provision.ts %j is refused before anything is made', async (args, problem) => {
  await expect(provision(...args)).rejects.toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(problem),
  });
});
