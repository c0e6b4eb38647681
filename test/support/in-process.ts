import { vi } from 'vitest';
import { readConfig } from '../../shared/config.ts';
import { loadKms } from '../../shared/crypto/load-kms.ts';
import { makeEnv } from '../../shared/env.ts';
import type { Addresses } from './client.ts';
import { serviceSettings } from './second-service.ts';

/** What a process of the service is made of, in the test's own process, with the stack's parts; `more` is set besides. */
export function makeProcess(stack: Addresses, more: Readonly<Record<string, string>> = {}): ReturnType<typeof makeEnv> {
  const settings = { ...serviceSettings(stack), ...more };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  return makeEnv(readConfig(settings), { kms: loadKms });
}
