import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ContainerId, makeId, type TenantId } from '../../../shared/base/ids.ts';
import { nameClaim } from '../../../shared/tenancy/claim.ts';

const container = makeId<ContainerId>();
const tenant = makeId<TenantId>();

describe('the claim on a name', () => {
  test('claims on the same name in the same container are equal', () => {
    expect(nameClaim('key', container, 'orders')).toBe(nameClaim('key', container, 'orders'));
  });

  test.each([
    ['another name', nameClaim('key', container, 'invoices')],
    ['the same name with a capital letter', nameClaim('key', container, 'Orders')],
    ['the same name with a space', nameClaim('key', container, 'orders ')],
    ['a firewall with that name', nameClaim('firewall', container, 'orders')],
    ['a container with that name', nameClaim('container', tenant, 'orders')],
    ['the same name in another container', nameClaim('key', makeId(), 'orders')],
  ])('the claim on a name differs from the claim on %s', (_, other) => {
    expect(nameClaim('key', container, 'orders')).not.toBe(other);
  });

  test('a claim is a valid Firestore document id, whatever the name', () => {
    const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 128 });
    fc.assert(
      fc.property(name, (text) => {
        const id = nameClaim('key', container, text);
        expect(id).toMatch(/^[0-9a-f-]{36}:key:[A-Za-z0-9_-]{43}$/);
      }),
    );
  });

  test('a claim does not contain the name', () => {
    expect(nameClaim('key', container, 'orders')).not.toContain('orders');
  });
});
