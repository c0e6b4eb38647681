import { expect, inject, onTestFinished, test } from 'vitest';
import { setSubscription } from '../../support/billing.ts';
import { type Answer, outcome } from '../../support/client.ts';
import { type SlowRequest, sendHalf } from '../../support/raw.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
const WEBHOOKS = '/v1/webhooks/stripe';
/** The number of webhooks from one address that the service reads at once. In addition, `WAITING` webhooks may wait. */
const READ = 8;
const WAITING = 32;
const HASH = 'a'.repeat(64);
const now = () => Math.floor(Date.now() / 1000);

/** Sends part of a webhook with the given signature, from an address that is not Stripe's. */
function sendWebhook(signature: string | undefined): SlowRequest {
  const headers: Record<string, string> = signature === undefined ? {} : { 'stripe-signature': signature };
  const slow = sendHalf(stack, 'POST', WEBHOOKS, { body: ' '.repeat(1_000), headers, localAddress: '127.0.0.2' });
  onTestFinished(slow.abandon);
  return slow;
}

test.each<[string, () => string | undefined]>([
  ['no signature', () => undefined],
  ['a malformed signature', () => 'esk'],
  ['no time', () => `v1=${HASH}`],
  ['no hash', () => `t=${now()}`],
  ['a hash of another length', () => `t=${now()},v1=${HASH}a`],
  ['only a hash of another kind', () => `t=${now()},v0=${HASH}`],
  ['a time that is not a number', () => `t=now,v1=${HASH}`],
  ['a time over five minutes ago', () => `t=${now() - 310},v1=${HASH}`],
  ['a time over five minutes ahead', () => `t=${now() + 310},v1=${HASH}`],
])('a webhook with %s is refused before its body arrives', async (_, signature) => {
  expectRefusal(await sendWebhook(signature()).answer, '400 invalid_request');
});

test('a flood of slow webhooks from one address blocks neither webhooks from other addresses nor other requests', async () => {
  const tenant = await makeTenant(stack);
  const early: Answer[] = [];
  for (let sent = 0; sent < READ + WAITING + 1; sent++) {
    sendWebhook(`t=${now()},v1=${HASH}`)
      .answer.then((answer) => early.push(answer))
      .catch(() => undefined);
  }
  await expect.poll(() => early.map(outcome), { timeout: 4_000 }).toEqual(['503 unavailable']);
  expect(Object(early[0]?.body).message).toBe('too many webhooks in progress');
  await setSubscription(stack, tenant.id, 'past_due');
  expect((await tenant.console.send('GET', '/v1/billing')).body).toMatchObject({
    subscription: { status: 'past_due' },
  });
  expect(outcome(await tenant.api.send('GET', '/v1/keys'))).toBe('200');
});
