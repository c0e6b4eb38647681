import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { ownStack } from '../support/own-stack.ts';
import { makeProxiedService, type ProxiedService } from './proxied-service.ts';

/**
 * Starts a stack, and a process of the service that only the calling test file uses. Each test gets a newly started
 * process. Tests may kill the process and make its dependencies fail.
 */
export function ownProxiedService() {
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
