import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';

test('emitters are not those of domains, even if domains are loaded later', async () => {
  const { emit } = EventEmitter.prototype;
  await import('../../../functions/preload/without-domain.ts');
  createRequire(import.meta.url)('node:domain');
  expect(new EventEmitter()).not.toHaveProperty('domain');
  expect(EventEmitter.prototype.emit).toBe(emit);
});
