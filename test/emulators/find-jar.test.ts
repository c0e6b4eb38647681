import { chmodSync, renameSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { StartError } from '../../emulators/base/start-error.ts';
import { ownFolder } from '../../emulators/firestore/provide.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('without a home, the jar is taken only from a folder that no other user can use', () => {
  const parent = temporaryFolder('jar');
  const folder = ownFolder(parent);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(ownFolder(parent)).toBe(folder);
  chmodSync(folder, 0o770);
  expect(() => ownFolder(parent)).toThrow(StartError);
  renameSync(folder, join(parent, 'other'));
  symlinkSync(join(parent, 'other'), folder);
  expect(() => ownFolder(parent)).toThrow(StartError);
});
