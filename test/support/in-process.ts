import { vi } from 'vitest';
import { z } from 'zod';
import { portsOf } from '../../emulators/stack/ports.ts';
import { serviceEnvironment } from '../../emulators/stack/service-environment.ts';
import { makeLog } from '../../shared/base/log.ts';
import { readConfig } from '../../shared/config.ts';
import { loadKms } from '../../shared/crypto/load-kms.ts';
import { type Env, type Loaders, makeEnv } from '../../shared/env.ts';
import type { Addresses } from './client.ts';
import { serviceSettings } from './second-service.ts';

const line = z.record(z.string(), z.unknown());

/** The service's own parts in the test's process, at a stack's store and emulators. */
export interface InProcess {
  readonly env: Env;
  /** What was logged so far. */
  readonly logged: Record<string, unknown>[];
  /** Sets the clock of this process alone, which then runs on. */
  setClock(now: string): void;
}

/** Makes them, with these clients; the environment is the calling test file's until its end. */
export function startInProcess(stack: Addresses, load: Loaders = {}): InProcess {
  const { firestore, kms, policy, stripe, identity } = portsOf(stack);
  const at = (port: number) => ({ port });
  const settings = serviceEnvironment({
    inherited: {},
    flavour: { billing: true, console: true, wrappedRoot: true },
    ports: portsOf(stack),
    proxies: { firestore: at(firestore), kms: at(kms), pdp: at(policy), stripe: at(stripe), idp: at(identity) },
  });
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  const { env, hooks } = makeEnv(readConfig(settings), load);
  const logged: Record<string, unknown>[] = [];
  const log = makeLog((text) => logged.push(line.parse(JSON.parse(text))));
  const setClock = (now: string) => hooks.clock.move((Date.parse(now) - Date.now()) * 1000);
  return { env: { ...env, log }, logged, setClock };
}

/** What a process of the service is made of, in the test's own process, with the stack's parts; `more` is set besides. */
export function makeProcess(stack: Addresses, more: Readonly<Record<string, string>> = {}): ReturnType<typeof makeEnv> {
  const settings = { ...serviceSettings(stack), ...more };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  return makeEnv(readConfig(settings), { kms: loadKms });
}
