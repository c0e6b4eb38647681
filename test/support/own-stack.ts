import { afterAll, afterEach, beforeAll } from 'vitest';
import type { Addresses } from './client.ts';
import { startTestStack, type TestStack } from './stacks.ts';
import { mendStack } from './steer.ts';

/**
 * A stack of the calling test file's own: started before its tests, put right (clock and faults) after each, stopped
 * after all. Its addresses are there from `beforeAll` on.
 */
export function ownStack(...flags: readonly string[]): Addresses {
  let running: TestStack | undefined;
  const started = (): TestStack => {
    if (running === undefined) throw new Error('the stack has not been started');
    return running;
  };
  beforeAll(async () => {
    running = await startTestStack(...flags);
  });
  afterEach(() => mendStack(started()));
  afterAll(() => running?.stop());
  return {
    get baseUrl() {
      return started().baseUrl;
    },
    get controlUrl() {
      return started().controlUrl;
    },
  };
}
