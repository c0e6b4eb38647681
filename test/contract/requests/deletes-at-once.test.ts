import { expect, inject, test } from 'vitest';
import { eventsOfTenant } from '../../support/audit.ts';
import { outcome } from '../../support/client.ts';
import { makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');

test.each<[string, string, string, (tenant: Tenant) => Promise<string>]>([
  ['a key', 'destroy_key', 'POST', async ({ createKey }) => `/v1/keys/${await createKey('software')}/destroy`],
])(
  'of ten simultaneous requests that remove %s, one gets 204 and is recorded, and the others get 404',
  async (...row) => {
    const [, operation, method, make] = row;
    const tenant = await makeTenant(stack);
    const path = await make(tenant);
    const answers = await Promise.all(Array.from({ length: 10 }, () => tenant.console.send(method, path)));
    expect(answers.map(outcome).sort()).toEqual(['204', ...Array(9).fill('404 not_found')]);
    const rows = (await eventsOfTenant(tenant.console)).filter((event) => event.operation === operation);
    expect(rows.map(({ result }) => result)).toEqual(['success']);
  },
);
