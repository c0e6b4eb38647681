import { createSecretKey, type KeyObject } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { idBytes, type KeyId, makeId, type TenantId } from '../../../shared/base/ids.ts';
import { DataKeyCache, type DataKeyPlace } from '../../../shared/crypto/data-key-cache.ts';
import { type Decrypted, Kms } from '../../../shared/kms/kms.ts';
import { KmsOperations } from '../../../shared/kms/kms-operations.ts';
import { makeManualTime } from '../../support/manual-time.ts';

const ROOT = 'projects/p/locations/l/keyRings/r/cryptoKeys/root';
const MINUTE_MS = 60_000;
const PURGED_WITHIN_MS = 10_000;

/** A KMS with one key. It decrypts only with the aad from the encryption. Tests can make it fail or answer late. */
class OneKeyKms extends Kms {
  readonly wrappings: { readonly plaintext: Buffer; readonly aad: Buffer }[] = [];
  readonly seen: { readonly name: string; readonly plaintext: Uint8Array }[] = [];
  readonly answers: Buffer[] = [];
  decryptions = 0;
  failure: Error | undefined;
  held: Promise<void> = Promise.resolve();

  constructor() {
    super('projects/p/locations/l/keyRings/r', () => Promise.reject(new Error('there is no client')));
  }

  override async encrypt(name: string, plaintext: Uint8Array, aad: Uint8Array): Promise<Buffer> {
    this.seen.push({ name, plaintext });
    this.wrappings.push({ plaintext: Buffer.from(plaintext), aad: Buffer.from(aad) });
    if (this.failure) throw this.failure;
    return Buffer.of(this.wrappings.length - 1);
  }

  override async decrypt(name: string, ciphertext: Uint8Array, aad: Uint8Array): Promise<Decrypted | undefined> {
    this.decryptions++;
    await this.held;
    if (this.failure) throw this.failure;
    const wrapping = this.wrappings[ciphertext[0] ?? -1];
    if (name !== ROOT || !wrapping?.aad.equals(aad)) return undefined;
    const answer = Buffer.from(wrapping.plaintext);
    this.answers.push(answer);
    return { plaintext: answer, usedPrimary: true };
  }
}

/** A KMS that decrypts anything. */
class AnyKeyKms extends OneKeyKms {
  override async decrypt(): Promise<Decrypted> {
    return { plaintext: Buffer.alloc(32), usedPrimary: true };
  }
}

function makePlace(): DataKeyPlace {
  return { tenantId: makeId(), keyId: makeId(), version: 1 };
}

/** The size in bytes of a cache that holds ten data keys. */
const TEN_KEYS_BYTES = 17_000;

const UNLIMITED = new KmsOperations(undefined);

function makeDataKeys(cacheBytes?: number, operations = UNLIMITED) {
  const kms = new OneKeyKms();
  return { kms, dataKeys: new DataKeyCache(kms, operations, ROOT, cacheBytes) };
}

/** Makes a cache, and a data key whose wrapped form is `wrapped`. */
async function makeWrapped(cacheBytes?: number, operations = UNLIMITED) {
  const made = makeDataKeys(cacheBytes, operations);
  const place = makePlace();
  const wrapped = await made.dataKeys.make(place);
  return { ...made, place, wrapped, unwrap: () => made.dataKeys.unwrap(place, wrapped) };
}

function sameKey(a: KeyObject, b: Buffer | undefined): boolean {
  return b !== undefined && a.equals(createSecretKey(b));
}

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Counts the objects that are still in memory. */
async function countAlive(refs: readonly WeakRef<object>[]): Promise<number> {
  // A WeakRef that was read in this turn of the event loop keeps its object until the turn ends.
  await nextTurn();
  collectGarbage();
  return refs.filter((ref) => ref.deref() !== undefined).length;
}

test('a new data key is 32 random bytes, wrapped under the root and bound to its tenant, key and version', async () => {
  const { kms, dataKeys } = makeDataKeys();
  const place = { ...makePlace(), version: 0x01020304 };
  await dataKeys.make(place);
  await dataKeys.make(place);
  const [first, second] = kms.wrappings;
  expect(kms.seen.map(({ name }) => name)).toEqual([ROOT, ROOT]);
  expect([first?.plaintext.length, second?.plaintext.length]).toEqual([32, 32]);
  expect(first?.plaintext).not.toEqual(second?.plaintext);
  expect(first?.aad).toEqual(
    Buffer.concat([idBytes(place.tenantId), idBytes(place.keyId), Buffer.from('01020304', 'hex')]),
  );
});

test('a new data key is wiped after wrapping, even if wrapping failed', async () => {
  const { kms, dataKeys } = makeDataKeys();
  await dataKeys.make(makePlace());
  kms.failure = new Error('down');
  await expect(dataKeys.make(makePlace())).rejects.toThrow('down');
  expect(kms.seen.map(({ plaintext }) => Buffer.from(plaintext))).toEqual([Buffer.alloc(32), Buffer.alloc(32)]);
});

test.each([
  ['tenant', (place: DataKeyPlace) => ({ ...place, tenantId: makeId<TenantId>() })],
  ['key', (place: DataKeyPlace) => ({ ...place, keyId: makeId<KeyId>() })],
  ['version', (place: DataKeyPlace) => ({ ...place, version: 2 })],
])('a data key cannot be unwrapped for another %s', async (_, move) => {
  const { dataKeys, place, wrapped } = await makeWrapped();
  await expect(dataKeys.unwrap(move(place), wrapped)).rejects.toThrow('cannot unwrap');
});

test('unwrapping returns the data key that was wrapped, and wipes its bytes in the KMS’s answer', async () => {
  const { kms, unwrap } = await makeWrapped();
  const unwrapped = await unwrap();
  expect(kms.answers).toEqual([Buffer.alloc(32)]);
  expect(sameKey(unwrapped, kms.wrappings[0]?.plaintext)).toBe(true);
});

test('concurrent requests for one data key make one KMS call, and later requests use the cache', async () => {
  const { kms, unwrap } = await makeWrapped();
  const release = Promise.withResolvers<void>();
  kms.held = release.promise;
  const requests = Array.from({ length: 20 }, unwrap);
  release.resolve();
  await Promise.all(requests);
  await unwrap();
  expect(kms.decryptions).toBe(1);
});

test('each version of each key has a different data key', async () => {
  const { kms, dataKeys } = makeDataKeys();
  const place = makePlace();
  const places = [place, { ...place, version: 2 }, { ...place, keyId: makeId<KeyId>() }];
  const wrapped = await Promise.all(places.map((one) => dataKeys.make(one)));
  for (const [index, one] of places.entries()) {
    const unwrapped = await dataKeys.unwrap(one, wrapped[index] ?? Buffer.alloc(0));
    expect(sameKey(unwrapped, kms.wrappings[index]?.plaintext)).toBe(true);
  }
  expect(kms.decryptions).toBe(3);
});

test('a failed unwrapping is not cached: the next request asks the KMS again', async () => {
  const { kms, unwrap } = await makeWrapped();
  kms.failure = new Error('down');
  await expect(unwrap()).rejects.toThrow('down');
  kms.failure = undefined;
  await unwrap();
  expect(kms.decryptions).toBe(2);
});

test('each KMS call counts against the tenant’s share of KMS operations, and the use of a cached data key does not', async () => {
  // Each tenant’s share is two KMS calls, and the clock does not move, so the share is not refilled.
  const operations = new KmsOperations(4, makeManualTime());
  const { kms, dataKeys, place, wrapped, unwrap } = await makeWrapped(undefined, operations);
  for (let time = 1; time <= 10; time++) await unwrap();
  const refused = { code: 'unavailable' };
  await expect(dataKeys.make(place)).rejects.toMatchObject(refused);
  await expect(dataKeys.unwrap({ ...place, version: 2 }, wrapped)).rejects.toMatchObject(refused);
  await dataKeys.make(makePlace());
  expect([kms.wrappings.length, kms.decryptions]).toEqual([2, 1]);
});

describe('the cache of data keys', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'Date', 'setInterval'] });
    vi.advanceTimersByTime(1);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('a cached data key expires five minutes after it was unwrapped, even if requests still use it', async () => {
    const { kms, unwrap } = await makeWrapped();
    for (let minute = 0; minute < 5; minute++) {
      await unwrap();
      vi.advanceTimersByTime(MINUTE_MS);
    }
    await unwrap();
    expect(kms.decryptions).toBe(1);
    vi.advanceTimersByTime(1);
    await unwrap();
    expect(kms.decryptions).toBe(2);
  });

  test.each([
    ['has passed five minutes while the monotonic clock stood still', 5 * MINUTE_MS + 1],
    ['was set back to before the data key was unwrapped', -1],
  ])('a cached data key expires if the wall clock %s', async (_, wallMs) => {
    const { kms, unwrap } = await makeWrapped();
    await unwrap();
    vi.setSystemTime(Date.now() + wallMs);
    await unwrap();
    expect(kms.decryptions).toBe(2);
  });

  test('the cache holds as many data keys as its size allows, and evicts the least recently used', async () => {
    const { kms, dataKeys } = makeDataKeys(TEN_KEYS_BYTES);
    const first = makePlace();
    const second = { ...first, version: 2 };
    const wrapped = [await dataKeys.make(first), await dataKeys.make(second)] as const;
    await dataKeys.unwrap(first, wrapped[0]);
    await dataKeys.unwrap(second, wrapped[1]);
    await dataKeys.unwrap(first, wrapped[0]);
    // One data key more than the cache holds. The KMS never answers: a failed call would be removed from the cache.
    kms.held = new Promise(() => undefined);
    for (let version = 3; version <= 11; version++) void dataKeys.unwrap({ ...first, version }, wrapped[0]);
    await nextTurn();
    const before = kms.decryptions;
    await dataKeys.unwrap(first, wrapped[0]);
    expect(kms.decryptions).toBe(before);
    void dataKeys.unwrap(second, wrapped[1]);
    await nextTurn();
    expect(kms.decryptions).toBe(before + 1);
  });

  test('an evicted or expired data key is removed from memory even if no further request arrives', async () => {
    const dataKeys = new DataKeyCache(new AnyKeyKms(), UNLIMITED, ROOT, TEN_KEYS_BYTES);
    const place = makePlace();
    const unwrapped: WeakRef<KeyObject>[] = [];
    for (let version = 1; version <= 1_000; version++) {
      unwrapped.push(new WeakRef(await dataKeys.unwrap({ ...place, version }, Buffer.alloc(0))));
    }
    expect(await countAlive(unwrapped)).toBeLessThanOrEqual(10);
    vi.advanceTimersByTime(5 * MINUTE_MS + PURGED_WITHIN_MS);
    expect(await countAlive(unwrapped)).toBe(0);
    // Keeps the cache reachable until here, so that only its entries can be collected.
    expect(dataKeys).toBeInstanceOf(DataKeyCache);
  });
});
