import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { ROOT } from '../../sources.ts';
import { closeMonth } from '../../support/billing.ts';
import { text } from '../../support/client.ts';
import { setCount } from '../../support/counts.ts';
import { bodiesFor, METERED, operate } from '../../support/operations.ts';
import { allConfigured } from '../../support/second-service.ts';
import { startTestStack, type TestStack } from '../../support/stacks.ts';
import { mendStack, setClock } from '../../support/steer.ts';
import { ALL_TIERS, makeTenant, signIn, type Tenant } from '../../support/tenant.ts';
import { type Checking, openChecking } from './checking.ts';

const run = promisify(execFile);

let stack: TestStack;
let checking: Checking;
let tenants: Tenant[];
beforeAll(async () => {
  // The stack must be new. In a shared stack, the KMS and Stripe have objects that are not in the store, which
  // check-store would report.
  stack = await startTestStack();
  checking = openChecking(stack);
  await setClock(stack, '2026-10-20T12:00:00Z');
  tenants = [await makeTenant(stack), await makeTenant(stack), await makeTenant(stack)];
  for (const { createKey } of tenants) for (const tier of ALL_TIERS) await createKey(tier);
  await setClock(stack, '2026-11-01T00:20:00Z');
  await closeMonth(stack);
  await mendStack(stack);
});
afterAll(() => stack.stop());

/** Uses and changes the keys of a tenant until `hasEnded` returns true. */
async function keepBusy(tenant: Tenant, hasEnded: () => boolean): Promise<void> {
  const { api, subject } = tenant;
  // The tenant's own session was created in October and has expired.
  const console = await signIn(stack, subject);
  while (!hasEnded()) {
    const key = await tenant.createKey('software');
    const bodies = await bodiesFor(api, key);
    await Promise.all(METERED.map((operation) => operate(api, key, operation, bodies[operation])));
    await Promise.all([api.send('POST', `/v1/keys/${key}/rotate`), operate(api, key, 'encrypt', bodies.encrypt)]);
    await api.send('PATCH', `/v1/keys/${key}`, { name: randomUUID() });
    text(await console.send('POST', '/v1/api-keys', { name: 'busy', allowed_actions: ['encrypt'] }), 'id');
    await console.send('POST', '/v1/containers', { name: randomUUID() });
    await console.send('POST', `/v1/keys/${key}/destroy`);
  }
}

test('check-store does not report changes that are made to the store while it runs', async () => {
  let ended = false;
  const busy = tenants.map((tenant) => keepBusy(tenant, () => ended));
  try {
    for (let time = 0; time < 5; time++) {
      const parts = await checking.run();
      expect(parts.flatMap(({ findings }) => findings)).toEqual([]);
      expect(parts.every(({ checked }) => Object.values(checked).some((number) => number > 0))).toBe(true);
    }
  } finally {
    ended = true;
    await Promise.all(busy);
  }
});

/** Runs check-store with the arguments. Returns its exit code and output. */
async function runProgram(...args: readonly string[]) {
  const env = { PATH: process.env.PATH, ...allConfigured(stack) };
  const ran = run(process.execPath, ['operator/check-store.ts', ...args], { cwd: ROOT, env });
  const { code, stdout, stderr } = await ran.then(
    (output) => ({ code: 0, ...output }),
    (error) => z.object({ code: z.int(), stdout: z.string(), stderr: z.string() }).parse(error),
  );
  return { code, stdout, stderr };
}

test('check-store exits with 0 if it finds nothing; otherwise it exits with 1 and prints a line for each finding', async () => {
  const healthy = await runProgram();
  expect(healthy).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/\nNo findings\.\n$/) });
  expect(healthy.stdout).toMatch(/^Keys against the KMS\n {2}live keys +13\n/);
  const [tenant] = tenants;
  await setCount(stack, tenant?.id ?? '', 'firewalls', 7);
  const faulty = await runProgram();
  expect(faulty).toMatchObject({ code: 1, stderr: '', stdout: expect.stringMatching(/\n1 finding\.\n$/) });
  expect(faulty.stdout).toContain(
    `\ncount-differs: tenant ${tenant?.id}: firewalls is stored as 7, but 0 exist. Set firewalls of`,
  );
  const { code, stdout } = await runProgram('--json');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    findings: 1,
    parts: expect.arrayContaining([
      {
        title: 'Keys against the KMS',
        checked: { 'live keys': 13, 'enabled versions': 13, 'keys being destroyed, not checked': 0 },
        findings: [],
        adopted: [],
      },
    ]),
  });
  await setCount(stack, tenant?.id ?? '', 'firewalls', 0);
});

test('check-store exits with 2 and one line for an invalid option', async () => {
  const refused = (line: string) => ({ code: 2, stdout: '', stderr: `check-store: ${line}\n` });
  expect(await runProgram('--since', '2026-13')).toEqual(refused('--since: expected a month, YYYY-MM'));
  expect(await runProgram('--kms-reads', '0')).toEqual(
    refused('--kms-reads: expected a whole number from 1 to 999999'),
  );
  expect(await runProgram('--repair')).toMatchObject({ code: 2, stdout: '' });
});

test('check-store exits with 3 if the KMS does not answer', async () => {
  const env = { ...allConfigured(stack), KMS_EMULATOR_HOST: '127.0.0.1:1' };
  const ran = run(process.execPath, ['operator/check-store.ts'], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...env },
  });
  await expect(ran).rejects.toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/^check-store: could not finish: /),
  });
});
