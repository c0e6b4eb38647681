import { defineConfig } from 'vitest/config';
import { watchdog } from '../support/watchdog.ts';

/** The test files that `runner.long.test.ts` runs. They fail on purpose. */
export default defineConfig({
  plugins: [watchdog(Number(process.env.SILENCE_MS))],
  test: { include: ['test/runner/*.ts'], isolate: false, testTimeout: 1_000 },
});
