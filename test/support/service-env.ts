import { Firestore } from '@google-cloud/firestore';
import { vi } from 'vitest';
import { portsOf } from '../../emulators/stack/ports.ts';
import { projectId } from '../../emulators/stack/service-environment.ts';
import { readConfig } from '../../shared/config.ts';
import { type Env, makeEnv } from '../../shared/env.ts';
import type { Addresses } from './client.ts';
import { serviceSettings } from './second-service.ts';

/** All that a process of the service has, in the test's own, on a stack's parts; without sign-in provider, billing and clients that are loaded. */
export function envOn(stack: Addresses): Env {
  const settings = serviceSettings(stack);
  vi.stubEnv('METADATA_SERVER_DETECTION', settings.METADATA_SERVER_DETECTION);
  vi.stubEnv('FIRESTORE_EMULATOR_HOST', settings.FIRESTORE_EMULATOR_HOST);
  return makeEnv(readConfig(settings), {}).env;
}

/** Google's client at a stack's Firestore, past the service. */
export function firestoreOf(stack: Addresses): Firestore {
  const host = `127.0.0.1:${portsOf(stack).firestore}`;
  // The emulator's word for a server that no rule binds.
  return new Firestore({ projectId, host, ssl: false, customHeaders: { Authorization: 'Bearer owner' } });
}
