import { type SeparateStack, startSeparateStack } from '../../emulators/stack/separate.ts';
import { noteService } from './seen.ts';

export type TestStack = SeparateStack;

/** Whether stacks are run in the deployed shape: a process for each function, behind the gateway (`npm run test:deployed`). */
export const DEPLOYED = process.env.DEPLOYED === '1';

/** Starts a stack with these flags, in the shape that is tested. */
export async function startTestStack(...flags: readonly string[]): Promise<TestStack> {
  const stack = await startSeparateStack(...(DEPLOYED ? ['--deployed'] : []), ...flags);
  noteService(stack.baseUrl, flags);
  return stack;
}
