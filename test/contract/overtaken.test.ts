import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type Answer, outcome, text } from '../support/client.ts';
import { operate } from '../support/operations.ts';
import { ownStack } from '../support/own-stack.ts';
import { setFaults } from '../support/steer.ts';
import { makeTenant, type Tenant } from '../support/tenant.ts';

/** Without a wrapped root every key is a CryptoKey, those among them that retain one version. */
const stack = ownStack('--no-wrapped-root');
const DATA = 'AAAA';

/** A part answers so late that what overtakes a request is done by then. */
const LATE_MS = 1_500;
const ON_ITS_WAY_MS = 400;

/** What a request is answered that reads the key, waits for its decision, and goes on when `overtake` is done. */
async function overtaken(send: () => Promise<Answer>, overtake: () => Promise<Answer>): Promise<Answer> {
  await setFaults(stack, { pdp: { delay_ms: LATE_MS } });
  const answer = send();
  await pause(ON_ITS_WAY_MS);
  expect((await overtake()).status).toBeLessThan(300);
  return answer;
}

async function keyOf(tenant: Tenant, tier: 'wrapped' | 'software') {
  const id = await tenant.createKey(tier);
  return { id, path: `/v1/keys/${id}`, encrypt: () => operate(tenant.api, id, 'encrypt', { plaintext: DATA }) };
}

describe('an operation that is under way while its key', () => {
  test('is destroyed finds no key', async () => {
    const tenant = await makeTenant(stack);
    const { path, encrypt } = await keyOf(tenant, 'software');
    const answer = await overtaken(encrypt, () => tenant.console.send('POST', `${path}/destroy`));
    expect(outcome(answer)).toBe('404 not_found');
  });

  test('is rotated, its version retired, is done under the new one', async () => {
    const tenant = await makeTenant(stack);
    const { id, path, encrypt } = await keyOf(tenant, 'wrapped');
    const answer = await overtaken(encrypt, () => tenant.console.send('POST', `${path}/rotate`));
    await setFaults(stack, { pdp: null });
    const opened = await operate(tenant.api, id, 'decrypt', { ciphertext: text(answer, 'ciphertext') });
    expect(opened.body).toEqual({ plaintext: DATA });
  });
});
