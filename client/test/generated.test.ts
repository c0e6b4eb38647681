import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { DOCUMENT, TARGET } from '../generate/places.ts';
import { generate } from '../generate/source.ts';
import { API_CODES, ROUTES } from '../src/api/generated.ts';
import { EncryptionService } from '../src/service.ts';

test('types and routes are those of the OpenAPI document; npm run generate -w client writes them anew', async () => {
  const source = await generate(JSON.parse(await readFile(DOCUMENT, 'utf8')));
  expect(source).toBe(await readFile(TARGET, 'utf8'));
});

test('every operation has a method of its name, and every method is an operation', () => {
  const names = Object.keys(ROUTES).map((id) => id.replace(/_(.)/g, (_, letter) => letter.toUpperCase()));
  const methods = Object.getOwnPropertyNames(EncryptionService.prototype).filter((name) => name !== 'constructor');
  expect(methods.toSorted()).toEqual(names.toSorted());
});

test('the codes are those that the document names for the audit log, which are all', async () => {
  const { components } = JSON.parse(await readFile(DOCUMENT, 'utf8'));
  const [{ enum: codes }] = components.schemas.AuditEvent.properties.error_code.anyOf;
  expect(codes).toContain('method_not_allowed');
  expect(API_CODES).toEqual(codes.toSorted());
});
