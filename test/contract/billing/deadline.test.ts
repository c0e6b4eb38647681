import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import { STRIPE_SECRETS } from '../../../emulators/stack/service-environment.ts';
import { loadStripe } from '../../../shared/billing/load-stripe.ts';
import { Payments } from '../../../shared/billing/payments.ts';
import { DEADLINES_MS } from '../../../shared/deadlines.ts';
import { listen } from '../../support/second-service.ts';

test('a call to Stripe that gets no answer fails with unavailable exactly at its deadline', async () => {
  const silent = createServer();
  const config = {
    priceId: 'price',
    returnUrl: 'http://127.0.0.1/billing',
    emulatorHost: `127.0.0.1:${await listen(silent)}`,
  };
  onTestFinished(() => {
    silent.close();
    silent.closeAllConnections();
  });
  const payments = new Payments(config, () => loadStripe(STRIPE_SECRETS.secretKey, config.emulatorHost));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const received = once(silent, 'request');
  let state = 'waits';
  const opened = payments.openPortal('cus_1').catch((error: unknown) => {
    state = String(Object(error).code);
  });
  await received;
  await vi.advanceTimersByTimeAsync(DEADLINES_MS.stripe - 1);
  expect(state).toBe('waits');
  await vi.advanceTimersByTimeAsync(1);
  await opened;
  expect(state).toBe('unavailable');
});
