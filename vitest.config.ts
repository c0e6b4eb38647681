import { defineConfig } from 'vitest/config';

/** Only `npm run coverage` sets it. */
const setupFiles = process.env.NODE_V8_COVERAGE ? ['test/support/take-coverage.ts'] : [];

/** Files that start a stack of their own need time to start it. */
const common = { setupFiles, testTimeout: 60_000, hookTimeout: 90_000 };

export default defineConfig({
  test: {
    // Two stacks at a time is what two cores bear.
    maxWorkers: 2,
    projects: [
      {
        test: { ...common, name: 'parts', include: ['test/**/*.test.ts'], exclude: ['test/contract/**'] },
      },
      {
        test: {
          ...common,
          name: 'contract',
          include: ['test/contract/**/*.test.ts'],
          globalSetup: ['test/support/shared-stack.ts'],
        },
      },
    ],
  },
});
