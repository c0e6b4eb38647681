/*
 * Tests the behavior of the Functions Framework on which functions/framework/ relies. If a test fails, the framework
 * has changed, and functions/framework/ must change too.
 */

import { spawnSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import http from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { V8_FLAGS } from '../../functions/preload/keep-heap.ts';

// The framework loads node:domain, which would otherwise change event emitters in other tests.
await import('../../functions/preload/without-domain.ts');
const require = createRequire(import.meta.url);
const FILES = dirname(require.resolve('@google-cloud/functions-framework'));
const callable = z.custom<(...given: readonly unknown[]) => unknown>((value) => typeof value === 'function');
const { getServer } = z.object({ getServer: callable }).parse(require(join(FILES, 'server.js')));
const { ErrorHandler } = z
  .object({
    ErrorHandler: z.custom<new (server: unknown) => { register(): void }>((value) => typeof value === 'function'),
  })
  .parse(require(join(FILES, 'invoker.js')));

const EVENTS = ['SIGTERM', 'SIGINT', 'uncaughtException', 'unhandledRejection', 'exit'] as const;
const before = new Map(EVENTS.map((event) => [event, process.rawListeners(event)]));

afterAll(() => {
  for (const event of EVENTS) {
    for (const listener of process.rawListeners(event)) {
      if (before.get(event)?.includes(listener) === false) process.removeListener(event, callable.parse(listener));
    }
  }
});

test('the framework creates its only server with http.createServer, which take-over.ts replaces', () => {
  const create = vi.spyOn(http, 'createServer');
  getServer(() => undefined, { signatureType: 'http', ignoredRoutes: null, timeoutMilliseconds: 0 });
  expect(create).toHaveBeenCalledTimes(1);
  create.mockRestore();
});

test('the framework registers one handler for each process event, and take-over.ts removes all these handlers', () => {
  new ErrorHandler(http.createServer()).register();
  const added = EVENTS.map((event) => {
    const listeners = process.rawListeners(event).filter((listener) => before.get(event)?.includes(listener) === false);
    return listeners.filter((listener) => String(listener).includes('sendCrashResponse')).length;
  });
  expect(added).toEqual(EVENTS.map(() => 1));
});

/** Returns the exit status of Node with these flags. Node does not start with a flag that V8 does not know. */
function statusWith(flags: readonly string[]): number | null {
  return spawnSync(process.execPath, [...flags, '--eval', '']).status;
}

test('V8 knows every flag in V8_FLAGS', () => {
  expect(statusWith(V8_FLAGS)).toBe(0);
  expect(statusWith(['--no-such-flag-of-v8'])).not.toBe(0);
});

test('event emitters do not use domains, even if node:domain is loaded later', async () => {
  const { emit } = EventEmitter.prototype;
  await import('../../functions/preload/without-domain.ts');
  createRequire(import.meta.url)('node:domain');
  expect(new EventEmitter()).not.toHaveProperty('domain');
  expect(EventEmitter.prototype.emit).toBe(emit);
});
