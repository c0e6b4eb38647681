import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { endRun } from './test/support/end-children.ts';

execFileSync(process.execPath, [join(import.meta.dirname, 'deploy/generate.ts')]);

// The tests start many processes with the same modules. Coverage must not use this cache, because it would not measure
// cached modules. Only `npm run coverage` sets NODE_V8_COVERAGE.
if (!process.env.NODE_V8_COVERAGE) {
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled');
}

/**
 * Google's clients must not look for the metadata server of Google Cloud. The tests' own processes keep the usual
 * deadlines, although they inherit the environment of the stacks, which have long ones.
 */
const env = { METADATA_SERVER_DETECTION: 'none', DEADLINES: 'usual' };

// The JVM's second compiler costs more time than it saves in a test run.
process.env.JDK_JAVA_OPTIONS ??= '-XX:TieredStopAtLevel=1';

/**
 * The timeouts allow for hooks that start a stack. Test files in the same worker share the modules that they import. The
 * setup file undoes what a test file changes in its process, because the process then runs other files.
 */
const common = {
  setupFiles: ['test/support/leave-nothing.ts'],
  ...{ env, testTimeout: 600_000, hookTimeout: 600_000, isolate: false },
  // By default, a slow machine has only a second for what a test polls.
  expect: { poll: { timeout: 180_000 } },
};

/** Slow tests, for example of crashes, races and floods. */
const LONG = '{test,client/test}/**/*.long.test.ts';
/** The cases of each operation, beside its route. */
const CASES = 'functions/**/*.test.ts';
const CONTRACT = 'test/contract/**';
/** Tests of the console in a real browser. One more such test is among the contract tests. */
const CONSOLE = 'test/console/**';
/** Tests of the client with a whole stack, which they share with the contract tests. */
const CLIENT_CONTRACT = 'client/test/contract/**';

const plugins = [endRun];

export default defineConfig({
  test: {
    // Tests often wait, so three files at a time keep two cores busy, and two files one core.
    maxWorkers: Math.min(3, availableParallelism() + 1),
    // Stacks need time to stop.
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
          // A busy machine could exceed the usual deadlines of the services in the tests' process.
          env: { ...env, DEADLINES: 'long' },
          name: 'contract',
          include: [CASES, `${CONTRACT}/*.test.ts`, `${CLIENT_CONTRACT}/*.test.ts`],
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
          // The longest take two minutes on a quiet machine.
          ...{ testTimeout: 900_000, hookTimeout: 900_000 },
          include: [LONG],
          globalSetup: ['test/support/shared-stack.ts', 'test/support/lend-stacks.ts'],
        },
      },
    ],
  },
});
