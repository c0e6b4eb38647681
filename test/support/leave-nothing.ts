import { afterAll, vi } from 'vitest';

// The next file of the same process finds the environment and the time as they are.
afterAll(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});
