import { readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeVerifierKey } from '../../../shared/transparency/verifier-key.ts';
import { writeText } from '../../src/cli/atomic-file.ts';
import { LogExport } from '../../src/cli/sealed-log/export.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const at = (name: string) => join(folder.path, name);
const names = async () => (await readdir(folder.path)).sort();

test.each([
  ['a missing file', 'missing'],
  ['itself', 'link'],
])('writing through a symbolic link to %s fails and leaves the link unchanged', async (_, to) => {
  await symlink(to, at('link'));
  await expect(writeText(at('link'), 'new', 0o600)).rejects.toMatchObject({
    code: 'file_error',
    message: `${at('link')}: is a symbolic link to a file that does not exist; remove the link, or use another path`,
  });
  expect(await names()).toEqual(['link']);
  expect(await readlink(at('link'))).toBe(to);
});

describe('an export of the audit log', () => {
  const key = makeVerifierKey('log.example/tenant', new Uint8Array(32));
  const FILES = ['checkpoint.txt', 'entries.jsonl', 'key.txt', 'restorations.json', 'seals.json'];

  test('an export does not follow symbolic links in its folder', async () => {
    await writeFile(at('victim'), 'untouched');
    for (const name of [...FILES, 'entries.jsonl.part']) await symlink('victim', at(name));
    const files = await LogExport.begin(folder.path);
    await files.finish(key, []);
    expect(await readFile(at('victim'), 'utf8')).toBe('untouched');
    expect(await readFile(at('entries.jsonl'), 'utf8')).toBe('');
  });

  test('concurrent exports use temporary files with unique names, and an abandoned export leaves no files', async () => {
    const [one, other] = [await LogExport.begin(folder.path), await LogExport.begin(folder.path)];
    expect(new Set(await names()).size).toBe(2 * FILES.length);
    await one.giveUp();
    await other.giveUp();
    expect(await names()).toEqual([]);
  });
});
