import { type SeparateStack, startSeparateStack } from '../../emulators/stack/separate.ts';
import { SHORT_DEADLINES_MS } from '../../functions/local/short-deadlines.ts';
import { DEADLINES_MS } from '../../shared/deadlines.ts';
import { noteService } from './seen.ts';

export type TestStack = SeparateStack;

/** Whether stacks are run in the deployed shape: a process for each function, behind the gateway (`npm run test:deployed`). */
export const DEPLOYED = process.env.DEPLOYED === '1';

/** The deadlines of a stack with `--short-deadlines`, which deployed functions cannot have. */
export const SHORT_MS = DEPLOYED ? DEADLINES_MS : SHORT_DEADLINES_MS;

/** Starts a stack with these flags, in the shape that is tested. */
export async function startTestStack(...flags: readonly string[]): Promise<TestStack> {
  const stack = await startSeparateStack(...(DEPLOYED ? ['--deployed'] : []), ...flags);
  noteService(stack.baseUrl, flags);
  return stack;
}
