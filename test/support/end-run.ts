import type { Plugin } from 'vitest/config';
import { endChildrenWithThisProcess } from './end-children.ts';

/**
 * Makes every process of a test run end when the run ends. Makes the run fail if its process does not exit, for example
 * because a stack does not stop. Otherwise, Vitest would report success.
 */
export const endRun: Plugin = {
  name: 'end-run',
  configureVitest({ vitest }) {
    endChildrenWithThisProcess();
    vitest.config.reporters.push({
      onProcessTimeout() {
        process.exitCode = 1;
      },
    });
  },
};
