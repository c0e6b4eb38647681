import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../shared/errors.ts';
import { RECORDABLE, ACTIONS as SERVED_ACTIONS } from '../../shared/operations.ts';
import { ROLES as SERVED_ROLES } from '../../shared/tenancy/role.ts';
import { TIER as SERVED_TIER, TIERS as SERVED_TIERS } from '../../shared/tiers.ts';
import { DOCUMENT } from '../generate/document.ts';
import { ACTIONS, API_CODES, AUDIT_OPERATIONS, ROLES, ROUTES, TIER, TIERS } from '../src/api/generated.ts';
import type { ClientErrorCode } from '../src/errors.ts';
import { readOptions } from '../src/http/settings.ts';
import { EncryptionService } from '../src/service.ts';
import type { CallOptions, EncryptionServiceOptions } from '../src/types.ts';

describe('what is generated from the OpenAPI document', () => {
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
    expect(API_CODES).toEqual(
      Object.fromEntries(Object.entries(CATALOGUE).map(([code, { status }]) => [code, status])),
    );
  });

  test('the library lists the same actions, roles, operations and tiers as the service, in the same order', () => {
    expect(ACTIONS).toEqual(SERVED_ACTIONS);
    expect(ROLES).toEqual(SERVED_ROLES);
    expect(AUDIT_OPERATIONS).toEqual(RECORDABLE);
    expect(TIERS).toEqual(SERVED_TIERS);
    expect(SERVED_TIER).toMatchObject(TIER);
  });
});

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

/** Returns the code in the first column of the README table that has the given header row. */
function firstCells(head: string): string[] {
  const [, after = ''] = readme.split(`\n| ${head} |`);
  const [table = ''] = after.split('\n\n');
  const cells = table.split('\n').map((row) => row.split('|')[1] ?? '');
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code));
}

test('the defaults in the README match the defaults in the code', () => {
  const { timeoutMs, maxRetries } = readOptions({ url: 'https://a.example' });
  expect(readme).toContain(`| \`timeoutMs\` | ${timeoutMs.toLocaleString('en')} |`);
  expect(readme).toContain(`| \`maxRetries\` | ${maxRetries} |`);
});

describe('explanations in the README', () => {
  test('the README explains every error code of the library, and links to those of the API', () => {
    const own: Record<ClientErrorCode, true> = {
      unreachable: true,
      answer_lost: true,
      deadline_exceeded: true,
      aborted: true,
      invalid_answer: true,
    };
    expect(firstCells('code').toSorted()).toEqual(Object.keys(own).toSorted());
    expect(readme).toContain('(../docs/troubleshooting.md#every-error-code)');
  });

  test('the README explains every option of EncryptionService', () => {
    const ofService: Record<keyof EncryptionServiceOptions, true> = {
      url: true,
      apiKey: true,
      accessToken: true,
      timeoutMs: true,
      maxRetries: true,
      fetch: true,
      allowHttp: true,
    };
    const ofCall: Record<keyof CallOptions, true> = { signal: true, timeoutMs: true };
    expect(firstCells('option of `new EncryptionService`').toSorted()).toEqual(Object.keys(ofService).toSorted());
    expect(firstCells('option of a call (last argument)').toSorted()).toEqual(Object.keys(ofCall).toSorted());
  });
});

test('a bundle of the client for browsers has nothing of the encrypted fields and of the fake', async () => {
  const entry = join(import.meta.dirname, '../src/index.ts');
  const { metafile } = await build({ entryPoints: [entry], bundle: true, format: 'esm', metafile: true, write: false });
  const files = Object.keys(metafile.inputs);
  expect(files).toContainEqual(expect.stringMatching(/src\/service\.ts$/));
  expect(files.filter((file) => /src\/(fields|testing)\//.test(file))).toEqual([]);
});
