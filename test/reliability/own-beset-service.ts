import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { Addresses } from '../support/client.ts';
import { ownStack } from '../support/own-stack.ts';
import { type BesetService, besetService } from './beset-service.ts';

/** A process that tests may kill and whose dependencies may fail, and the stack beside which it runs. */
export interface Beset {
  readonly stack: Addresses;
  readonly service: BesetService;
}

/** Makes a process on a stack for the calling test file only. The process starts before each test. */
export function ownBesetService(): Beset {
  const stack = ownStack();
  let made: BesetService | undefined;
  const required = (): BesetService => {
    if (made === undefined) throw new Error('the service is not there yet');
    return made;
  };
  beforeAll(async () => {
    made = await besetService(stack);
  });
  beforeEach(() => required().start());
  afterEach(() => required().end('SIGTERM'));
  afterAll(() => made?.stop());
  return {
    stack,
    get service() {
      return required();
    },
  };
}
