import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { Addresses } from '../support/client.ts';
import { ownStack } from '../support/own-stack.ts';
import { makeProxiedService, type ProxiedService } from './proxied-service.ts';

/**
 * A process of the service, and the stack to which it belongs. Tests may kill the process and make its dependencies
 * fail.
 */
export interface OwnProxiedService {
  readonly stack: Addresses;
  readonly service: ProxiedService;
}

/** Starts a stack and a process that only the calling test file uses. Each test gets a newly started process. */
export function ownProxiedService(): OwnProxiedService {
  const stack = ownStack();
  let made: ProxiedService | undefined;
  const required = (): ProxiedService => {
    if (made === undefined) throw new Error('the service is not prepared yet');
    return made;
  };
  beforeAll(async () => {
    made = await makeProxiedService(stack);
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
