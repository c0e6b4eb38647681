import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Stripe from 'stripe';
import { expect, test } from 'vitest';
import { at, startHarness } from './stripe-harness.ts';

test('the same key with the same parameters answers what was answered first', async () => {
  const { stripe } = await startHarness();
  const first = await stripe.customers.create({ name: 'a', metadata: { x: '1' } }, { idempotencyKey: 'key-1' });
  const again = await stripe.customers.create({ metadata: { x: '1' }, name: 'a' }, { idempotencyKey: 'key-1' });
  expect(again.id).toBe(first.id);
  expect(again.lastResponse.headers['idempotent-replayed']).toBe('true');
  expect((await stripe.customers.list()).data).toHaveLength(1);
});

test('the same key with other parameters is an idempotency error', async () => {
  const { stripe } = await startHarness();
  await stripe.customers.create({ name: 'a' }, { idempotencyKey: 'key-1' });
  const other = stripe.customers.create({ name: 'b' }, { idempotencyKey: 'key-1' });
  await expect(other).rejects.toBeInstanceOf(Stripe.errors.StripeIdempotencyError);
  await expect(other).rejects.toMatchObject({ statusCode: 400, rawType: 'idempotency_error' });
});

test('a refused request may be sent again with its key', async () => {
  const { stripe } = await startHarness();
  const options = { idempotencyKey: 'key-1' };
  await expect(stripe.invoices.create({ customer: 'cus_nobody' }, options)).rejects.toMatchObject({ statusCode: 400 });
  await expect(stripe.customers.create({}, options)).resolves.toMatchObject({ object: 'customer' });
});

test('stored answers outlive a restart', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'stripe-')), 'stripe.json');
  const before = await startHarness({ file });
  const first = await before.stripe.customers.create({ name: 'a' }, { idempotencyKey: 'key-1' });
  await before.emulator.stop();
  const after = await startHarness({ file });
  const again = await after.stripe.customers.create({ name: 'a' }, { idempotencyKey: 'key-1' });
  expect(again.id).toBe(first.id);
});

test('a key is forgotten after 24 hours', async () => {
  const { clock, stripe } = await startHarness();
  const first = await stripe.customers.create({ name: 'a' }, { idempotencyKey: 'key-1' });
  clock.now = at('2026-11-16T12:00:00Z');
  expect((await stripe.customers.create({ name: 'a' }, { idempotencyKey: 'key-1' })).id).toBe(first.id);
  clock.now = at('2026-11-16T12:00:01Z');
  expect((await stripe.customers.create({ name: 'a' }, { idempotencyKey: 'key-1' })).id).not.toBe(first.id);
});
