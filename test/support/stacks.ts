import { type SeparateStack, startSeparateStack } from '../../emulators/stack/separate.ts';
import { SHORT_DEADLINES_MS } from '../../functions/local/other-deadlines.ts';
import { DEADLINES_MS } from '../../shared/deadlines.ts';
import { noteService } from './seen.ts';

export type TestStack = SeparateStack;

/** Whether stacks run as deployed: a process for each function, behind the gateway (`npm run test:deployed`). */
export const DEPLOYED = process.env.DEPLOYED === '1';

/** The deadlines of a stack with `--short-deadlines`. Deployed functions do not support this flag. */
export const SHORT_MS = DEPLOYED ? DEADLINES_MS : SHORT_DEADLINES_MS;

/**
 * Starts a stack with the given flags, as deployed or in one process. In one process, it has no rate limit, because
 * tests could exceed it, and by default long deadlines, because a busy machine could exceed them.
 */
export async function startTestStack(...flags: readonly string[]): Promise<TestStack> {
  Object.assign(process.env, { RATE_LIMIT: 'off', DEADLINES: 'long' });
  const stack = await startSeparateStack(...(DEPLOYED ? ['--deployed'] : []), ...flags);
  noteService(stack.baseUrl, flags);
  return stack;
}
