import { defineConfig } from 'vitest/config';

/** What mutants are run against: the tests of `shared/`, but for the one that starts a stack. */
export default defineConfig({
  test: {
    include: ['test/shared/**/*.test.ts'],
    exclude: ['**/*.long.test.ts'],
  },
});
