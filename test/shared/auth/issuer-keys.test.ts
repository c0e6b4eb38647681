import { expect, test } from 'vitest';
import { IssuerKeys } from '../../../shared/auth/issuer-keys.ts';
import { type PublishedKey, parseKeySet } from '../../../shared/auth/published-key.ts';
import { makeInstant } from '../../../shared/base/clock.ts';
import { publicJwk } from '../../support/workloads.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const [ES, RSA] = [parseKeySet({ keys: [publicJwk('es')] }), parseKeySet({ keys: [publicJwk('rsa')] })];

/** Makes the keys of an issuer that answers with `next`, and a clock that moves only when told to. */
function anIssuer() {
  let nowMs = Date.now();
  const issuer = {
    reads: 0,
    next: async (): Promise<PublishedKey[]> => ES,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
  const clock = { now: () => makeInstant(nowMs * 1000) };
  const keys = new IssuerKeys(() => {
    issuer.reads++;
    return issuer.next();
  }, clock);
  const es = async () => (await keys.find('es', 'ES256'))?.kid;
  const unknown = async () => (await keys.find('nobody', 'ES256'))?.kid;
  return { issuer, keys, es, unknown };
}

const down = async (): Promise<never> => {
  throw new Error('the issuer is down');
};
const unavailable = expect.objectContaining({ code: 'unavailable' });

test('requests that come together share one read', async () => {
  const { issuer, es } = anIssuer();
  expect(await Promise.all(Array.from({ length: 100 }, es))).toEqual(Array(100).fill('es'));
  expect(issuer.reads).toBe(1);
});

test('at most 100 requests wait for a read, and further ones are refused', async () => {
  const { issuer, es } = anIssuer();
  const { promise, resolve } = Promise.withResolvers<PublishedKey[]>();
  issuer.next = () => promise;
  const waiting = Array.from({ length: 100 }, es);
  await expect(es()).rejects.toEqual(unavailable);
  resolve(ES);
  expect(await Promise.all(waiting)).toEqual(Array(100).fill('es'));
});

test('a key that the issuer does not have is looked for again after 30 seconds, not sooner', async () => {
  const { issuer, es, unknown } = anIssuer();
  expect(await unknown()).toBeUndefined();
  expect(await unknown()).toBeUndefined();
  issuer.pass(29 * SECOND_MS);
  expect(await unknown()).toBeUndefined();
  expect(issuer.reads).toBe(1);
  issuer.pass(SECOND_MS);
  expect(await Promise.all([unknown(), unknown()])).toEqual([undefined, undefined]);
  expect(issuer.reads).toBe(2);
  expect(await es()).toBe('es');
  expect(issuer.reads).toBe(2);
});

test('a new key of the issuer is found, and a removed one is not used any more', async () => {
  const { issuer, keys, es } = anIssuer();
  expect(await es()).toBe('es');
  issuer.next = async () => RSA;
  issuer.pass(30 * SECOND_MS);
  expect((await keys.find('rsa', 'RS256'))?.kid).toBe('rsa');
  expect(await es()).toBeUndefined();
});

test('a key is not used with an algorithm that is not its own', async () => {
  const { keys } = anIssuer();
  expect(await keys.find('es', 'RS256')).toBeUndefined();
});

test('keys are read again in time, without delay for a request', async () => {
  const { issuer, es } = anIssuer();
  await es();
  issuer.pass(5 * MINUTE_MS);
  expect(await es()).toBe('es');
  expect(issuer.reads).toBe(2);
  issuer.pass(5 * MINUTE_MS + SECOND_MS);
  expect(await es()).toBe('es');
});

test('while the issuer is down, keys are used for ten minutes and then no longer', async () => {
  const { issuer, es } = anIssuer();
  await es();
  issuer.next = down;
  issuer.pass(10 * MINUTE_MS - SECOND_MS);
  expect(await es()).toBe('es');
  issuer.pass(SECOND_MS);
  await expect(es()).rejects.toEqual(unavailable);
  issuer.next = async () => ES;
  expect(await es()).toBe('es');
});

test('after a failed read, requests wait for the next one, which all of them share', async () => {
  const { issuer, es } = anIssuer();
  issuer.next = down;
  await expect(es()).rejects.toEqual(unavailable);
  expect(issuer.reads).toBe(1);
  issuer.next = async () => ES;
  expect(await Promise.all([es(), es(), es()])).toEqual(['es', 'es', 'es']);
  expect(issuer.reads).toBe(2);
});

test('while an unknown key cannot be looked for, it is not known to be wrong', async () => {
  const { issuer, es, unknown } = anIssuer();
  await es();
  issuer.next = down;
  issuer.pass(30 * SECOND_MS);
  await expect(unknown()).rejects.toEqual(unavailable);
  await expect(unknown()).rejects.toEqual(unavailable);
  expect(issuer.reads).toBe(2);
  expect(await es()).toBe('es');
});

test('if the clock goes back, keys are read again', async () => {
  const { issuer, es } = anIssuer();
  await es();
  issuer.pass(-MINUTE_MS);
  expect(await es()).toBe('es');
  expect(issuer.reads).toBe(2);
});
