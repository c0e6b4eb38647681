import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { crypto } from '../../../functions/crypto/routes.ts';
import { makeRouter } from '../../../functions/router.ts';
import { transit as transitGroup } from '../../../functions/transit/routes.ts';
import { bind } from '../../../shared/http/route.ts';
import { makeListener } from '../../../shared/http/serve.ts';
import { KmsOperations } from '../../../shared/kms/kms-operations.ts';
import { eventsOfKey, inWords } from '../../support/audit.ts';
import { type Answer, outcome, text } from '../../support/client.ts';
import { type InProcess, openInProcess } from '../../support/in-process.ts';
import { makeManualTime } from '../../support/manual-time.ts';
import { operate } from '../../support/operations.ts';
import { listen } from '../../support/second-service.ts';
import { Client, makeTenant, type Tier } from '../../support/tenant.ts';
import { codesOf, transit } from '../../support/transit.ts';
import { lineOf } from '../../support/usage.ts';

const stack = inject('stack');
const PLAIN = { plaintext: 'AAECAw==' };
const REFUSED = '503 unavailable';

let services: InProcess['services'];
beforeAll(() => {
  ({ services } = openInProcess(stack, { TRANSIT: 'on' }));
});

/**
 * Serves the routes that use keys, with a limit on KMS operations whose clock the test moves. One tenant may use half of
 * the operations, and all tenants together five sixths for their own KMS keys.
 */
async function serveLimited(perSecond: number) {
  const time = makeManualTime();
  const kmsOperations = new KmsOperations(perSecond, time);
  const asked = vi.spyOn(kmsOperations, 'takeForOwnKey');
  /** Waits until requests have asked for this many KMS operations in all. */
  const untilAsked = (count: number) => vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(count), 60_000);
  const own = { ...services, kmsOperations, rateLimit: { take: () => true } };
  const routes = bind([...crypto.routes, ...transitGroup.routes], own);
  const dialects = [...new Set(routes.map(({ description }) => description.dialect))];
  const server = createServer(makeListener(own, makeRouter(routes), dialects));
  const limited = { ...stack, baseUrl: `http://127.0.0.1:${await listen(server)}` };
  onTestFinished(() => void server.close());

  /** Makes a tenant with a key, which the tenant uses through the limited server. */
  const withKey = async (tier: Tier) => {
    const { api, createKey } = await makeTenant(stack);
    const name = randomUUID();
    const id = await createKey(tier, name);
    const client = new Client(limited, api.token);
    const encrypt = () => operate(client, id, 'encrypt', PLAIN);
    const decryptGarbage = () => operate(client, id, 'decrypt', { ciphertext: 'AAAA' });
    return { api, client, id, name, encrypt, decryptGarbage };
  };
  return { time, untilAsked, withKey };
}

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
const refusalsAmong = (answers: readonly Answer[]) => answers.filter((answer) => outcome(answer) === REFUSED);

test('decryptions beyond a tenant’s share of KMS operations fail with 503, and are recorded but not counted', async () => {
  const { time, untilAsked, withKey } = await serveLimited(10);
  const [overLimit, otherTenant] = [await withKey('software'), await withKey('software')];
  const flood = times(80, overLimit.decryptGarbage);
  await untilAsked(80);
  await time.move(250);
  // The tenant's share is five operations, and one more while the others wait.
  const refused = refusalsAmong(await Promise.all(flood));
  expect(refused).toHaveLength(74);
  expect(outcome(await otherTenant.encrypt())).toBe('200');
  const [first] = refused;
  expect(first && text(first, 'message')).toBe('this tenant has used up its share of kms operations for now');
  const recorded = inWords(await eventsOfKey(overLimit.api, overLimit.id));
  expect(recorded.filter((event) => event === 'decrypt unavailable')).toHaveLength(74);
  expect((await lineOf(overLimit.api, overLimit.id)).ops).toBe(0);
});

test('if tenants use up all KMS operations for their own KMS keys, the reserved KMS operations for data keys remain', async () => {
  const { time, untilAsked, withKey } = await serveLimited(10);
  const [one, other, user] = [await withKey('software'), await withKey('hsm'), await withKey('wrapped')];
  const floods = [times(40, one.decryptGarbage), times(40, other.decryptGarbage)];
  await untilAsked(80);
  expect(outcome(await user.encrypt())).toBe('200');
  await time.move(250);
  for (const flood of floods) expect(refusalsAmong(await Promise.all(flood)).length).toBeGreaterThan(0);
});

test('in a Transit batch, only the items beyond the tenant’s share of KMS operations fail, and they are recorded but not counted', async () => {
  const { time, untilAsked, withKey } = await serveLimited(10);
  const { api, client, id, name } = await withKey('software');
  const batch = transit(client, `POST /encrypt/${name}`, { batch_input: Array(60).fill(PLAIN) });
  await untilAsked(60);
  await time.move(250);
  expect(codesOf(await batch).sort()).toEqual([...Array(6).fill('ok'), ...Array(54).fill('unavailable')]);
  expect((await lineOf(api, id)).ops).toBe(6);
  const recorded = inWords(await eventsOfKey(api, id));
  expect(recorded.filter((event) => event === 'encrypt unavailable')).toHaveLength(54);
});

test('two tenants that send batches of garbage through Transit do not take the KMS operations that a third tenant needs', async () => {
  const { time, untilAsked, withKey } = await serveLimited(30);
  const [attackers, third] = [[await withKey('software'), await withKey('software')], await withKey('software')];
  const garbage = { batch_input: Array(100).fill({ ciphertext: `vault:v1:${Buffer.alloc(64).toString('base64')}` }) };
  const codes: string[] = [];
  for (let round = 1; round <= 10; round++) {
    const before = 201 * (round - 1);
    const batches = attackers.map(({ client, name }) => transit(client, `POST /decrypt/${name}`, garbage));
    await untilAsked(before + 200);
    const encrypted = third.encrypt();
    await untilAsked(before + 201);
    // In this time, the tenants’ keys together get one more operation.
    await time.move(40);
    expect(outcome(await encrypted)).toBe('200');
    await time.move(250);
    for (const batch of batches) codes.push(...codesOf(await batch));
  }
  expect(new Set(codes)).toEqual(new Set(['invalid_ciphertext', 'unavailable']));
});
