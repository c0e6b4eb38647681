import { type SeparateStack, startSeparateStack } from '../../emulators/stack/separate.ts';

export type TestStack = SeparateStack;

/** Whether stacks are run in the deployed shape: a process for each function, behind the gateway (`npm run test:deployed`). */
export const DEPLOYED = process.env.DEPLOYED === '1';

/** Starts a stack with these flags, in the shape that is tested. */
export function startTestStack(...flags: readonly string[]): Promise<TestStack> {
  return startSeparateStack(...(DEPLOYED ? ['--deployed'] : []), ...flags);
}
