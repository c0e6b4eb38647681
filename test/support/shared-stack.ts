import type { TestProject } from 'vitest/node';
import type { Addresses } from './client.ts';
import { startTestStack } from './stacks.ts';

declare module 'vitest' {
  interface ProvidedContext {
    stack: Addresses;
  }
}

/** One stack for all contract tests, which make tenants of their own and leave clock and faults alone. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { baseUrl, controlUrl, stop } = await startTestStack();
  project.provide('stack', { baseUrl, controlUrl });
  return stop;
}
