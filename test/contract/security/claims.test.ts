import { randomUUID } from 'node:crypto';
import { describe, expect, inject, test } from 'vitest';
import { type ContainerId, idSchema, type TenantId } from '../../../shared/base/ids.ts';
import { nameClaim } from '../../../shared/tenancy/claim.ts';
import { list, outcome, text } from '../../support/client.ts';
import { BOUNDED } from '../../support/counts.ts';
import { patchDocument } from '../../support/firestore.ts';
import { makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');

/** For each kind of object with unique names, a function that returns the id of the document which reserves a name. */
const CLAIMS = {
  keys: (_: TenantId, container: ContainerId, name: string) => nameClaim('key', container, name),
  containers: (tenant: TenantId, _: ContainerId, name: string) => nameClaim('container', tenant, name),
  firewalls: (_: TenantId, container: ContainerId, name: string) => nameClaim('firewall', container, name),
};
const KINDS = BOUNDED.flatMap((kind) =>
  kind.counter === 'api_keys' ? [] : { ...kind, claimOf: CLAIMS[kind.counter] },
);

describe.each(KINDS)('unique names of $things', ({ path, body, end: [method, suffix], claimOf }) => {
  /** Makes an object, then reserves its name for another object. */
  async function makeWithoutClaim({ id, console }: Tenant) {
    const wanted = { ...body(), name: randomUUID() };
    const thing = text(await console.send('POST', path, wanted), 'id');
    const [container] = list(await console.send('GET', '/v1/containers'));
    const [tenantId, containerId] = [idSchema<TenantId>().parse(id), idSchema<ContainerId>().parse(container?.id)];
    const claim = claimOf(tenantId, containerId, wanted.name);
    await patchDocument(stack, `names/${claim}`, 'holder', { stringValue: randomUUID() });
    return { wanted, at: `${path}/${thing}` };
  }

  test('removing an object does not free its name if the name is reserved for another object', async () => {
    const tenant = await makeTenant(stack);
    const { wanted, at } = await makeWithoutClaim(tenant);
    expect(outcome(await tenant.console.send(method, `${at}${suffix}`))).toBe('204');
    expect(outcome(await tenant.console.send('POST', path, wanted))).toMatch(/^409 (key|container|firewall)_exists$/);
  });

  test('renaming an object does not free its old name if the old name is reserved for another object', async () => {
    const tenant = await makeTenant(stack);
    const { wanted, at } = await makeWithoutClaim(tenant);
    expect(outcome(await tenant.console.send('PATCH', at, { name: 'another' }))).toBe('200');
    expect(outcome(await tenant.console.send('POST', path, wanted))).toMatch(/^409 (key|container|firewall)_exists$/);
  });
});
