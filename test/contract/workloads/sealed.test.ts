import { beforeAll, expect, test } from 'vitest';
import { portsOf, workloadIssuerOf } from '../../../emulators/stack/ports.ts';
import { list } from '../../support/client.ts';
import { ownStack } from '../../support/own-stack.ts';
import { checkLog } from '../../support/sealed-log.ts';
import { later, MINUTE_MS, readClock, sealAudit, setClock } from '../../support/steer.ts';
import { Client, makeTenant, type Tenant } from '../../support/tenant.ts';
import { workloadToken } from '../../support/workloads.ts';

const stack = ownStack();
let tenant: Tenant;

beforeAll(async () => {
  tenant = await makeTenant(stack);
});

test('the workload of an event is sealed with it, and the sealed log verifies', async () => {
  const issuer = workloadIssuerOf(portsOf(stack));
  const { id } = await tenant.mint({ federations: [{ issuer, claims: { sub: 'job' } }] });
  const key = await tenant.createKey('wrapped');
  const job = new Client(stack, await workloadToken(stack, id, { sub: 'job', name: 'é' }));
  await job.send('POST', `/v1/keys/${key}/wrap`, {});
  await setClock(stack, later(await readClock(stack), 3 * MINUTE_MS));
  await sealAudit(stack);
  const sealed = list(await tenant.console.send('GET', '/v1/audit/entries'));
  expect(sealed.find(({ operation }) => operation === 'wrap')).toMatchObject({ workload: { issuer, subject: 'job' } });
  expect(sealed.find(({ operation }) => operation === 'create_key')).toMatchObject({ workload: null });
  expect(await checkLog(tenant.console)).toEqual({ findings: [], entries: sealed.length });
});
