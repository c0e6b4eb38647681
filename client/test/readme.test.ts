import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ClientErrorCode } from '../src/errors.ts';
import { readOptions } from '../src/http/settings.ts';
import type { CallOptions, EncryptionServiceOptions } from '../src/types.ts';

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
