import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import * as base from '../../emulators/base/listen.ts';
import { PROJECT_ID } from '../../emulators/base/repository.ts';
import { portsOf } from '../../emulators/stack/ports.ts';
import {
  AUDIT_ORIGIN,
  AUDIT_SIGNING_KEY,
  CONSOLE_AUDIENCE,
  KEY_RING,
  WRAPPED_ROOT,
} from '../../emulators/stack/service-environment.ts';
import type { Addresses } from './client.ts';
import { noteService } from './seen.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FRAMEWORK = 'node_modules/@google-cloud/functions-framework/build/src/main.js';

/** The URL of a module for `--import`, which makes a function report its port. */
export const REPORT_PORT = new URL('report-port.ts', import.meta.url).href;

/** Another process of the service that uses a stack's dependencies. */
export interface SecondService extends Addresses {
  readonly child: ChildProcess;
  /** Returns the output so far, unless `onOutput` got it. The output is complete when the process has ended. */
  readonly printed: () => string;
  /** Stops the process and returns its exit code, or `null` if the signal killed it. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}

/** How to start a process of the service, by default from this checkout and on a free port. */
export interface StartOptions {
  readonly folder?: string;
  readonly port?: number;
  /** Flags for Node. */
  readonly flags?: readonly string[];
  /** Receives the process's standard output. */
  readonly onOutput?: (chunk: Buffer) => void;
}

/**
 * Returns the environment of a process of the service that uses the stack's dependencies. The environment configures
 * neither an identity provider nor billing.
 */
export function serviceSettings(stack: Addresses) {
  const { policy, firestore, kms } = portsOf(stack);
  const { NODE_COMPILE_CACHE } = process.env;
  return {
    ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
    METADATA_SERVER_DETECTION: 'none',
    GOOGLE_CLOUD_PROJECT: PROJECT_ID,
    KMS_KEY_RING: KEY_RING,
    WRAPPED_ROOT,
    AUDIT_SIGNING_KEY,
    AUDIT_ORIGIN,
    POLICY_DECISION_URL: `http://127.0.0.1:${policy}`,
    FIRESTORE_EMULATOR_HOST: `127.0.0.1:${firestore}`,
    KMS_EMULATOR_HOST: `127.0.0.1:${kms}`,
  };
}

/** Returns additional settings for sign-in with the stack's identity provider. */
export function signInSettings(stack: Addresses) {
  const issuer = `http://127.0.0.1:${portsOf(stack).identity}`;
  return { IDENTITY_ISSUER: issuer, IDENTITY_AUDIENCE: CONSOLE_AUDIENCE, IDENTITY_JWKS_URL: `${issuer}/jwks` };
}

/**
 * Starts a second process, without a rate limit and with long deadlines. `more` adds to its environment or replaces
 * variables.
 */
export async function startSecondService(
  stack: Addresses,
  more: NodeJS.ProcessEnv = {},
  { folder = ROOT, port = 0, flags = [], onOutput }: StartOptions = {},
): Promise<SecondService> {
  // A function registers itself with the framework that its own sources import.
  const [framework, source] = [join(folder, FRAMEWORK), join(folder, 'functions/local/router.ts')];
  const options = [`--source=${source}`, '--target=router', `--port=${port}`];
  const child = spawn(process.execPath, [`--import=${REPORT_PORT}`, ...flags, framework, ...options], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { RATE_LIMIT: 'off', DEADLINES: 'long', ...serviceSettings(stack), ...more },
  });
  const ended = once(child, 'close');
  const output: Buffer[] = [];
  child.stdout?.on('data', onOutput ?? ((chunk: Buffer) => output.push(chunk)));
  const baseUrl = `http://127.0.0.1:${await reportedPort(child)}`;
  // Until its first answer, the process does not handle the stop signal correctly. This one also connects it, which can
  // take longer on a busy machine than a request may take.
  await fetch(`${baseUrl}/health/ready`);
  noteService(baseUrl, 'unknown');
  const stop = async (signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM') => {
    child.kill(signal);
    await ended;
    return child.exitCode;
  };
  const printed = () => Buffer.concat(output).toString();
  return { baseUrl, controlUrl: stack.controlUrl, child, printed, stop };
}

/** Listens on a free port of 127.0.0.1, and returns the port. */
export async function listen(server: Server): Promise<number> {
  await base.listen(server, 0);
  return base.portOf(server);
}

/** Returns the port of a process that has loaded {@link REPORT_PORT}. Throws if the process ends first. */
export async function reportedPort(child: ChildProcess): Promise<number> {
  const [told] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  const { success, data } = z.object({ port: z.int() }).safeParse(told);
  if (!success) throw new Error('the function did not start');
  return data.port;
}
