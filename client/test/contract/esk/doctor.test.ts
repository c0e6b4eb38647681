import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { send } from '../../../../test/support/client.ts';
import { ownStack } from '../../../../test/support/own-stack.ts';
import { setFaults } from '../../../../test/support/steer.ts';
import { makeTenant, type Tenant } from '../../../../test/support/tenant.ts';
import { esk } from '../../support/esk.ts';

const stack = ownStack();
const findings = z.array(
  z.object({ check: z.string(), state: z.string(), found: z.string(), advice: z.string().nullable() }),
);
let tenant: Tenant;

beforeAll(async () => {
  tenant = await makeTenant(stack);
  await tenant.createKey('software');
});

/** Runs `esk doctor` with an API key's token. Returns its findings and its exit status. */
async function doctor(token: string | undefined) {
  const env = { ESK_URL: stack.baseUrl, ...(token !== undefined && { ESK_API_KEY: token }) };
  const { code, stdout, stderr } = await esk(['doctor', '--json'], { env });
  const found = findings.parse(JSON.parse(stdout.toString()));
  return { code, stderr, states: Object.fromEntries(found.map(({ check, state }) => [check, state])), found };
}

const ALL_OK = {
  address: 'ok',
  tls: 'ok',
  clock: 'ok',
  readiness: 'ok',
  credential: 'ok',
  firewall: 'ok',
  rights: 'ok',
  billing: 'skipped',
  allowance: 'ok',
};

test('if the KMS is down, esk doctor reports the KMS and exits with 3', async () => {
  await setFaults(stack, { kms: 'down' });
  await expect.poll(() => send('GET', `${stack.baseUrl}/health/ready`)).toMatchObject({ status: 503 });
  const { code, states, found } = await doctor(tenant.api.token);
  expect({ code, states }).toEqual({ code: 3, states: { ...ALL_OK, readiness: 'fail' } });
  expect(found.find(({ check }) => check === 'readiness')?.found).toMatch(/^The KMS does not answer/);
  await setFaults(stack, { kms: null });
  await expect.poll(() => send('GET', `${stack.baseUrl}/health/ready`)).toMatchObject({ status: 200 });
});

test('if every check passes, esk doctor prints nothing to standard error and exits with 0', async () => {
  expect(await doctor(tenant.api.token)).toMatchObject({ code: 0, stderr: '', states: ALL_OK });
});

test('with a wrong secret, esk doctor exits with 4 and skips the checks that depend on the credential', async () => {
  const { code, stderr, states } = await doctor(tenant.api.token?.replace(/.{20}$/, 'A'.repeat(20)));
  const skipped = { firewall: 'skipped', rights: 'skipped', allowance: 'skipped' };
  expect({ code, states }).toEqual({ code: 4, states: { ...ALL_OK, credential: 'fail', ...skipped } });
  expect(stderr).toMatch(/^esk: check_failed: the check of credential failed; .+\n$/);
  expect((await doctor(undefined)).code).toBe(4);
});

test('without --json, esk doctor prints a line for each check and the advice below it', async () => {
  const { stdout } = await esk(['doctor'], { env: { ESK_URL: stack.baseUrl, ESK_API_KEY: 'esk_x' } });
  expect(stdout.toString()).toMatch(
    /^ok +address +The service answers at .+\n(?:.+\n)*fail +credential +.+\n {21}Check that/,
  );
});
