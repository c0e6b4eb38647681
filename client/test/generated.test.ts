import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { CATALOGUE } from '../../shared/errors.ts';
import { RECORDABLE, ACTIONS as SERVED_ACTIONS } from '../../shared/operations.ts';
import { ROLES as SERVED_ROLES } from '../../shared/tenancy/role.ts';
import { TIER as SERVED_TIER, TIERS as SERVED_TIERS } from '../../shared/tiers.ts';
import { DOCUMENT } from '../generate/places.ts';
import { ACTIONS, API_CODES, AUDIT_OPERATIONS, ROLES, ROUTES, TIER, TIERS } from '../src/api/generated.ts';
import { EncryptionService } from '../src/service.ts';

test('EncryptionService has exactly one method for each API operation, with the same name', () => {
  const names = Object.keys(ROUTES).map((id) => id.replace(/_(.)/g, (_, letter) => letter.toUpperCase()));
  const methods = Object.getOwnPropertyNames(EncryptionService.prototype).filter((name) => name !== 'constructor');
  expect(methods.toSorted()).toEqual(names.toSorted());
});

test('the library has the same error codes as the audit log in the OpenAPI document, with the statuses of the service', async () => {
  const { components } = JSON.parse(await readFile(DOCUMENT, 'utf8'));
  const [{ enum: codes }] = components.schemas.AuditEvent.properties.error_code.anyOf;
  expect(codes).toContain('method_not_allowed');
  expect(Object.keys(API_CODES)).toEqual(codes.toSorted());
  expect(API_CODES).toEqual(Object.fromEntries(Object.entries(CATALOGUE).map(([code, { status }]) => [code, status])));
});

test('the library lists the same actions, roles, operations and tiers as the service, in the same order', () => {
  expect(ACTIONS).toEqual(SERVED_ACTIONS);
  expect(ROLES).toEqual(SERVED_ROLES);
  expect(AUDIT_OPERATIONS).toEqual(RECORDABLE);
  expect(TIERS).toEqual(SERVED_TIERS);
  expect(SERVED_TIER).toMatchObject(TIER);
});
