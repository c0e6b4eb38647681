import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { PROJECT_ID } from '../../emulators/base/project.ts';
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
const FRAMEWORK = fileURLToPath(
  new URL('../../node_modules/@google-cloud/functions-framework/build/src/main.js', import.meta.url),
);

/** What the service is started from, as in a stack. */
export const SOURCE = 'functions/local/router.ts';

/** A further process of the service that shares a stack's parts. */
export interface SecondService extends Addresses {
  readonly child: ChildProcess;
  /** What it printed so far: all of it once it has ended. */
  readonly printed: () => string;
  /** Asks it to end, and resolves to its exit code once it has. */
  stop(): Promise<number | null>;
}

/** The environment of a process of the service that shares the stack's parts: without sign-in provider and billing. */
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

/** What such an environment has besides, where people sign in with the stack's own provider. */
export function signInSettings(stack: Addresses) {
  const issuer = `http://127.0.0.1:${portsOf(stack).identity}`;
  return { IDENTITY_ISSUER: issuer, IDENTITY_AUDIENCE: CONSOLE_AUDIENCE, IDENTITY_JWKS_URL: `${issuer}/jwks` };
}

/**
 * Starts one; `more` is what its environment has besides, or instead.
 * Tries again on another port: an outgoing connection may have taken the free one before the service did.
 */
export async function startSecondService(
  stack: Addresses,
  more: Readonly<Record<string, string>> = {},
  source = SOURCE,
  attempts = 3,
): Promise<SecondService> {
  const port = await freePort();
  const child = spawn(process.execPath, [FRAMEWORK, `--source=${source}`, '--target=router', `--port=${port}`], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { HOST: '127.0.0.1', ...serviceSettings(stack), ...more },
  });
  const ended = once(child, 'close');
  const output: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => output.push(chunk));
  const baseUrl = `http://127.0.0.1:${port}`;
  while (!(await isUp(baseUrl))) {
    if (child.exitCode !== null) {
      if (attempts > 1) return startSecondService(stack, more, source, attempts - 1);
      throw new Error('the service did not start');
    }
    await pause(50);
  }
  noteService(baseUrl, 'unknown');
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    return child.exitCode;
  };
  const printed = () => Buffer.concat(output).toString();
  return { baseUrl, controlUrl: stack.controlUrl, child, printed, stop };
}

/** Listens on a free port of 127.0.0.1, and resolves to it. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return z.object({ port: z.int() }).parse(server.address()).port;
}

async function isUp(baseUrl: string): Promise<boolean> {
  return fetch(`${baseUrl}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** A port of 127.0.0.1 that nothing listens on. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  const port = await listen(probe);
  probe.close();
  await once(probe, 'close');
  return port;
}
