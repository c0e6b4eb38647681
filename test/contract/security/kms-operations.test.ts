import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { crypto } from '../../../functions/crypto/routes.ts';
import { makeRouter } from '../../../functions/router.ts';
import { transit as transitGroup } from '../../../functions/transit/routes.ts';
import { bind } from '../../../shared/http/route.ts';
import { makeListener } from '../../../shared/http/serve.ts';
import { KmsOperations } from '../../../shared/kms/kms-operations.ts';
import { eventsOfKey, inWords } from '../../support/audit.ts';
import { outcome, text } from '../../support/client.ts';
import { openInProcess } from '../../support/in-process.ts';
import { makeManualTime } from '../../support/manual-time.ts';
import { operate } from '../../support/operations.ts';
import { listen, type SecondService, startSecondService } from '../../support/second-service.ts';
import { Client, makeTenant, type Tier } from '../../support/tenant.ts';
import { codesOf, transit } from '../../support/transit.ts';
import { lineOf } from '../../support/usage.ts';

const stack = inject('stack');
const PLAIN = { plaintext: 'AAECAw==' };
const REFUSED = '503 unavailable';

/**
 * A process that may make ten KMS operations per second: at most eight for the KMS keys of all tenants together, and at
 * most five for one tenant.
 */
let service: SecondService;
beforeAll(async () => {
  service = await startSecondService(stack, { KMS_OPERATIONS_PER_SECOND: '10', TRANSIT: 'on' });
});
afterAll(() => service.stop());

/** Makes a tenant with a key, which the tenant uses through the limited process. */
async function withKey(tier: Tier) {
  const { api, createKey } = await makeTenant(stack);
  const name = randomUUID();
  const id = await createKey(tier, name);
  const limited = new Client(service, api.token);
  const encrypt = () => operate(limited, id, 'encrypt', PLAIN);
  /**
   * Sends more requests at once than the tenant's share allows in ten seconds. Returns the answers that are refusals.
   */
  const flood = async (body: object) => {
    const answers = await Promise.all(Array.from({ length: 80 }, () => operate(limited, id, 'decrypt', body)));
    return answers.filter((answer) => outcome(answer) === REFUSED);
  };
  return { api, limited, id, name, encrypt, flood };
}

test('decryptions beyond a tenant’s share of KMS operations fail with 503, and are recorded but not counted', async () => {
  const [overLimit, otherTenant] = [await withKey('software'), await withKey('software')];
  const flooding = overLimit.flood({ ciphertext: 'AAAA' });
  const refused = await flooding;
  expect(outcome(await otherTenant.encrypt())).toBe('200');
  const [first] = refused;
  expect(first && text(first, 'message')).toBe('this tenant has used up its share of kms operations for now');
  const recorded = inWords(await eventsOfKey(overLimit.api, overLimit.id));
  expect(recorded.filter((event) => event === 'decrypt unavailable')).toHaveLength(refused.length);
  expect((await lineOf(overLimit.api, overLimit.id)).ops).toBe(0);
});

test('if tenants use up all KMS operations for their own KMS keys, the reserved KMS operations for data keys remain', async () => {
  const [one, other, user] = [await withKey('software'), await withKey('hsm'), await withKey('wrapped')];
  const floods = [one.flood({ ciphertext: 'AAAA' }), other.flood({ ciphertext: 'AAAA' })];
  const refused = await Promise.all(floods);
  expect(refused.map(({ length }) => length > 0)).toEqual([true, true]);
  for (let time = 1; time <= 20; time++) expect(outcome(await user.encrypt())).toBe('200');
});

test('in a Transit batch, only the items beyond the tenant’s share of KMS operations fail, and they are recorded but not counted', async () => {
  const { api, limited, id, name } = await withKey('software');
  const codes = codesOf(await transit(limited, `POST /encrypt/${name}`, { batch_input: Array(60).fill(PLAIN) }));
  const done = codes.filter((code) => code === 'ok').length;
  expect(done).toBeGreaterThan(0);
  expect(codes.filter((code) => code === 'unavailable')).toHaveLength(60 - done);
  expect(done).toBeLessThan(60);
  expect((await lineOf(api, id)).ops).toBe(done);
  expect(inWords(await eventsOfKey(api, id)).filter((event) => event === 'encrypt unavailable')).toHaveLength(
    60 - done,
  );
});

test('two tenants that send batches of garbage through Transit do not take the KMS operations that a third tenant needs', async () => {
  const time = makeManualTime();
  const kmsOperations = new KmsOperations(30, time);
  const asked = vi.spyOn(kmsOperations, 'takeForOwnKey');
  /** Waits until requests have asked for this many more KMS operations. */
  const untilAsked = (count: number) => vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(count), 60_000);
  const { services } = openInProcess(stack, { TRANSIT: 'on' });
  const own = { ...services, kmsOperations, rateLimit: { take: () => true } };
  const routes = bind([...crypto.routes, ...transitGroup.routes], own);
  const dialects = [...new Set(routes.map(({ description }) => description.dialect))];
  const server = createServer(makeListener(own, makeRouter(routes), dialects));
  const limited = { ...stack, baseUrl: `http://127.0.0.1:${await listen(server)}` };
  const makeUser = async () => {
    const { api, createKey } = await makeTenant(stack);
    const name = randomUUID();
    return { id: await createKey('software', name), name, client: new Client(limited, api.token) };
  };
  const [attackers, third] = [[await makeUser(), await makeUser()], await makeUser()];
  const garbage = { batch_input: Array(100).fill({ ciphertext: `vault:v1:${Buffer.alloc(64).toString('base64')}` }) };
  const codes: string[] = [];
  for (let round = 1; round <= 10; round++) {
    const before = asked.mock.calls.length;
    const batches = attackers.map(({ client, name }) => transit(client, `POST /decrypt/${name}`, garbage));
    await untilAsked(before + 200);
    const encrypted = operate(third.client, third.id, 'encrypt', PLAIN);
    await untilAsked(before + 201);
    // In this time, the tenants’ keys together get one more operation.
    await time.move(40);
    expect(outcome(await encrypted)).toBe('200');
    await time.move(250);
    for (const batch of batches) codes.push(...codesOf(await batch));
  }
  expect(new Set(codes)).toEqual(new Set(['invalid_ciphertext', 'unavailable']));
  server.close();
});
