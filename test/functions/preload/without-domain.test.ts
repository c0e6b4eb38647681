import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';

test('event emitters do not use domains, even if node:domain is loaded later', async () => {
  const { emit } = EventEmitter.prototype;
  await import('../../../functions/preload/without-domain.ts');
  createRequire(import.meta.url)('node:domain');
  expect(new EventEmitter()).not.toHaveProperty('domain');
  expect(EventEmitter.prototype.emit).toBe(emit);
});
