import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { Addresses } from '../support/client.ts';
import { ownStack } from '../support/own-stack.ts';
import { type BesetService, besetService } from './beset-service.ts';

/** A service process that may be killed, and the stack beside which it runs. */
export interface Beset {
  readonly stack: Addresses;
  readonly service: BesetService;
}

/** Starts the process for each test of the calling file, on a stack that only this file uses. */
export function ownBesetService(): Beset {
  const stack = ownStack();
  let made: BesetService | undefined;
  const running = (): BesetService => {
    if (made === undefined) throw new Error('the service is not there yet');
    return made;
  };
  beforeAll(async () => {
    made = await besetService(stack);
  });
  beforeEach(() => running().start());
  afterEach(() => running().end('SIGTERM'));
  afterAll(() => made?.stop());
  return {
    stack,
    get service() {
      return running();
    },
  };
}
