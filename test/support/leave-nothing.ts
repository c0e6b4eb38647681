import { afterAll, vi } from 'vitest';
import { endChildrenWithThisProcess } from './end-children.ts';
import { forgetRows } from './forget-rows.ts';
import { removeTemporaryFolders } from './temporary-folder.ts';

endChildrenWithThisProcess();

// The next file of the same process finds the environment and the time as they are, and no file waits for queries over the rows
// of one that is done.
afterAll(async () => {
  await forgetRows();
  removeTemporaryFolders();
  vi.unstubAllEnvs();
  vi.useRealTimers();
});
