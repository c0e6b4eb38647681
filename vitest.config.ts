import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { watchdog } from './test/support/watchdog.ts';

/** What a test file leaves of itself in a process that runs others after it is put right here. */
const setupFiles = ['test/support/leave-nothing.ts'];
/** Only `npm run coverage` sets it. */
if (process.env.NODE_V8_COVERAGE) setupFiles.push('test/support/take-coverage.ts');
// Many processes are started of the same modules. What was not compiled anew would count as not run.
else process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

/** Google's clients would look for the metadata server of a machine of theirs. */
const env = { METADATA_SERVER_DETECTION: 'none' };

// What the second compiler of the JVM makes pays for itself only after a test run is over.
process.env.JDK_JAVA_OPTIONS ??= '-XX:TieredStopAtLevel=1';

/** Hooks that start a stack need time for it. The files of a worker share the modules that they import. */
const common = { setupFiles, env, testTimeout: 180_000, hookTimeout: 180_000, isolate: false };

/** Tests that take long by nature: crashes, faults, races, floods, tenants at their limits, programs started again and again. */
const LONG = '{test,client/test}/**/*.long.test.ts';
const CONTRACT = 'test/contract/**';
/** The console in a real browser; one journey of it is among the contract tests. */
const CONSOLE = 'test/console/**';
/** The client's tests against a whole stack; they share it with the service's own. */
const CLIENT_CONTRACT = 'client/test/contract/**';

const plugins = [watchdog()];

export default defineConfig({
  test: {
    // Much of a test's time is waiting: three files at a time keep two cores busy.
    maxWorkers: 3,
    // Stacks that stop are part of it.
    teardownTimeout: 120_000,
    projects: [
      {
        plugins,
        test: { ...common, name: 'parts', include: ['test/**/*.test.ts'], exclude: [CONTRACT, CONSOLE, LONG] },
      },
      {
        plugins,
        test: { ...common, name: 'client', include: ['client/test/**/*.test.ts'], exclude: [CLIENT_CONTRACT, LONG] },
      },
      {
        plugins,
        test: {
          ...common,
          name: 'contract',
          include: [`${CONTRACT}/*.test.ts`, `${CLIENT_CONTRACT}/*.test.ts`],
          exclude: [LONG],
          globalSetup: ['test/support/shared-stack.ts', 'test/support/lend-stacks.ts'],
        },
      },
      {
        plugins,
        test: {
          ...common,
          name: 'console',
          include: [`${CONSOLE}/*.test.ts`],
          globalSetup: ['test/support/lend-stacks.ts'],
        },
      },
      {
        plugins,
        test: {
          ...common,
          name: 'long',
          include: [LONG],
          globalSetup: ['test/support/shared-stack.ts', 'test/support/lend-stacks.ts'],
        },
      },
    ],
  },
});
