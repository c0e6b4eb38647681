import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { Addresses } from '../support/client.ts';
import { ownStack } from '../support/own-stack.ts';
import { type BesetService, besetService } from './beset-service.ts';

/** A process that may be killed and whose parts may fail, and the stack beside which it runs. */
export interface Beset {
  readonly stack: Addresses;
  readonly service: BesetService;
}

/** One on a stack that the calling test file has for itself: there from `beforeAll` on, started for each of its tests. */
export function ownBesetService(): Beset {
  const stack = ownStack();
  let made: BesetService | undefined;
  const had = (): BesetService => {
    if (made === undefined) throw new Error('the service is not there yet');
    return made;
  };
  beforeAll(async () => {
    made = await besetService(stack);
  });
  beforeEach(() => had().start());
  afterEach(() => had().end('SIGTERM'));
  afterAll(() => made?.stop());
  return {
    stack,
    get service() {
      return had();
    },
  };
}
