import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeText } from '../../src/cli/atomic-file.ts';
import { openInput } from '../../src/cli/input.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

test.each(['a'.repeat(255), '備'.repeat(85)])(
  'a file whose name has the maximum length of 255 bytes can be written',
  async (name) => {
    await writeText(join(folder.path, name), 'text', 0o600);
    expect(await readdir(folder.path)).toEqual([name]);
    expect(await readFile(join(folder.path, name), 'utf8')).toBe('text');
  },
);

test('a name that is not UTF-8 is refused, because Node would use another file', async () => {
  const path = join(folder.path, Buffer.from([0x61, 0xff]).toString());
  const failure = {
    code: 'file_error',
    message: `${path}: is a name that is not valid UTF-8; rename the file, or use a pipe`,
  };
  await expect(openInput(path)).rejects.toMatchObject(failure);
  await expect(writeText(path, 'text', 0o600)).rejects.toMatchObject(failure);
  expect(await readdir(folder.path)).toEqual([]);
});
