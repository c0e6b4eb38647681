import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { type Answer, list, outcome, text } from '../support/client.ts';
import { makeTenant, type Tenant } from '../support/tenant.ts';

const stack = inject('stack');
const ROUNDS = 20;

async function make({ console }: Tenant, path: string, body: object): Promise<string> {
  return text(await console.send('POST', path, { name: randomUUID(), ...body }), 'id');
}

/** What becomes of a deletion and something else at the same time; the order of start alternates. */
async function race(round: number, deletion: () => Promise<Answer>, other: () => Promise<Answer>) {
  if (round % 2 === 0) return (await Promise.all([deletion(), other()])).map(outcome);
  return (await Promise.all([other(), deletion()])).map(outcome).reverse();
}

test('a container deleted while a key, an API key or a firewall is put into it never ends up gone and filled', async () => {
  const tenant = await makeTenant(stack);
  for (let round = 0; round < ROUNDS; round++) {
    const container_id = await make(tenant, '/v1/containers', {});
    const name = randomUUID();
    const creations = [
      () => tenant.console.send('POST', '/v1/keys', { name, tier: 'wrapped', container_id }),
      () => tenant.console.send('POST', '/v1/api-keys', { name, container_id }),
      () => tenant.console.send('POST', '/v1/firewalls', { name, allowed_ips: ['192.0.2.1'], container_id }),
    ];
    const deletion = () => tenant.console.send('DELETE', `/v1/containers/${container_id}`);
    const creation = creations[round % 3] ?? deletion;
    expect(['409 container_not_empty 201', '204 400 invalid_container']).toContain(
      (await race(round, deletion, creation)).join(' '),
    );
    const containers = list(await tenant.console.send('GET', '/v1/containers')).map(({ id }) => id);
    for (const path of ['/v1/keys', '/v1/api-keys', '/v1/firewalls']) {
      for (const one of list(await tenant.console.send('GET', path))) expect(containers).toContain(one.container_id);
    }
  }
});

test('a firewall deleted while API keys are being held to it is never held to and gone', async () => {
  const tenant = await makeTenant(stack);
  const { id: apiKey } = await tenant.mint({ allowed_actions: [] });
  for (let round = 0; round < ROUNDS; round++) {
    const firewall_id = await make(tenant, '/v1/firewalls', { allowed_ips: ['127.0.0.1'] });
    const deletion = () => tenant.console.send('DELETE', `/v1/firewalls/${firewall_id}`);
    const holding =
      round % 4 < 2
        ? () => tenant.console.send('PATCH', `/v1/api-keys/${apiKey}`, { firewall_id })
        : () => tenant.console.send('POST', '/v1/api-keys', { name: randomUUID(), firewall_id });
    expect(['409 firewall_in_use 200', '409 firewall_in_use 201', '204 400 invalid_firewall']).toContain(
      (await race(round, deletion, holding)).join(' '),
    );
    const firewalls = list(await tenant.console.send('GET', '/v1/firewalls')).map(({ id }) => id);
    for (const one of list(await tenant.console.send('GET', '/v1/api-keys'))) {
      if (one.firewall_id !== null) expect(firewalls).toContain(one.firewall_id);
    }
  }
});
