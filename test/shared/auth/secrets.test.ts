import { argon2Sync, randomBytes, randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { argon2id as argon2idOfHashWasm } from 'hash-wasm';
import { beforeEach, expect, test } from 'vitest';
import { hashSecret, verifyHash } from '../../../shared/auth/argon2id.ts';
import { identify } from '../../../shared/auth/authenticate.ts';
import { InFlight } from '../../../shared/auth/in-flight.ts';
import { RateLimit } from '../../../shared/auth/rate-limit.ts';
import { Secrets } from '../../../shared/auth/secrets.ts';
import { makeInstant } from '../../../shared/base/clock.ts';
import { makeId, type TenantId } from '../../../shared/base/ids.ts';
import { MONOTONIC } from '../../../shared/base/rate.ts';
import type { ApiKey } from '../../../shared/tenancy/api-key.ts';
import { makeSecret } from '../../../shared/tenancy/token.ts';

const RUNNING_PER_TENANT = 2;
const CHECKS_PER_API_KEY = 8;
/** The API keys of a tenant whose secrets are being checked or wait for a check. */
const CHECKED_PER_TENANT = RUNNING_PER_TENANT + 64;
const HASHES_PER_TENANT = RUNNING_PER_TENANT + 64;
const CACHED_SECRETS = 10_000;

/** Returns a hash with the cheapest Argon2id parameters: these tests check only limits, queues and the cache. */
function cheapHash(secret: string): string {
  const nonce = randomBytes(16);
  const tag = argon2Sync('argon2id', { message: secret, nonce, memory: 8, passes: 1, parallelism: 1, tagLength: 32 });
  const bare = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=8,t=1,p=1$${bare(nonce)}$${bare(tag)}`;
}

let secrets: Secrets;
beforeEach(() => {
  secrets = new Secrets();
});

function makeApiKey(tenantId: TenantId = makeId()) {
  const secret = makeSecret();
  const hash = cheapHash(secret);
  const present = (presented = secret) => secrets.verify(tenantId, hash, secrets.present(presented));
  return { tenantId, secret, hash, present };
}
type TestApiKey = ReturnType<typeof makeApiKey>;

function apiKeysOf(tenantId: TenantId, count: number): TestApiKey[] {
  return Array.from({ length: count }, () => makeApiKey(tenantId));
}

/** The outcome of a secret check: its result, or the error code if the check is refused. */
function outcomeOf(check: Promise<boolean>): Promise<string> {
  return check.then(String, (error: unknown) => Object(error).code);
}

/** Presents `times` wrong secrets for each API key, all at the same time. */
function flood(apiKeys: readonly TestApiKey[], times: number): Promise<string>[] {
  return apiKeys.flatMap((apiKey) =>
    Array.from({ length: times }, (_, time) => outcomeOf(apiKey.present(`wrong ${time}`))),
  );
}

/** Returns how often each outcome occurs. */
async function tally(outcomes: readonly Promise<string>[]): Promise<Record<string, number>> {
  const byOutcome = Map.groupBy(await Promise.all(outcomes), (outcome) => outcome);
  return Object.fromEntries([...byOutcome].map(([outcome, all]) => [outcome, all.length]));
}

const busy = expect.objectContaining({ code: 'unavailable', message: 'too many api key checks in progress' });

test('only the right secret is accepted', async () => {
  const apiKey = makeApiKey();
  expect(await apiKey.present(makeSecret())).toBe(false);
  expect(await apiKey.present()).toBe(true);
  expect(await apiKey.present(makeSecret())).toBe(false);
  expect(await apiKey.present()).toBe(true);
});

test('a tenant’s first secret check does not wait behind all queued checks of another tenant', async () => {
  const ended: string[] = [];
  const note = (name: string) => () => ended.push(name);
  const greedy = flood(apiKeysOf(makeId(), CHECKED_PER_TENANT), 1).map((check) => check.then(note('greedy')));
  const modest = makeApiKey().present().then(note('modest'));
  await Promise.all([...greedy, modest]);
  expect(ended.indexOf('modest')).toBeLessThan(CHECKED_PER_TENANT / 2);
});

test('a flood of wrong secrets for six API keys does not block the tenant’s other API keys', async () => {
  const tenantId = makeId<TenantId>();
  const flooded = flood(apiKeysOf(tenantId, 6), 2 * CHECKS_PER_API_KEY);
  expect(await makeApiKey(tenantId).present()).toBe(true);
  expect(await tally(flooded)).toEqual({ false: 6 * CHECKS_PER_API_KEY, unavailable: 6 * CHECKS_PER_API_KEY });
});

test('a flood of wrong secrets for one API key uses only the quota of that API key', async () => {
  const apiKey = makeApiKey();
  const flooded = flood([apiKey], CHECKS_PER_API_KEY);
  await expect(apiKey.present()).rejects.toEqual(busy);
  expect(await tally(flooded)).toEqual({ false: CHECKS_PER_API_KEY });
  expect(await apiKey.present()).toBe(true);
});

test('if the secrets of too many API keys of a tenant are being checked, another one of them is refused', async () => {
  const tenantId = makeId<TenantId>();
  const flooded = flood(apiKeysOf(tenantId, CHECKED_PER_TENANT), 1);
  await expect(makeApiKey(tenantId).present()).rejects.toEqual(busy);
  expect(await makeApiKey().present()).toBe(true);
  expect(await tally(flooded)).toEqual({ false: CHECKED_PER_TENANT });
});

test('the pause after a wrong secret does not delay the tenant’s other API keys', async () => {
  const tenantId = makeId<TenantId>();
  const ended: string[] = [];
  const resting = apiKeysOf(tenantId, RUNNING_PER_TENANT);
  await tally(flood(resting, 1));
  const next = resting.map((apiKey) => apiKey.present().then(() => ended.push('rested')));
  await makeApiKey(tenantId)
    .present()
    .then(() => ended.push('other'));
  await Promise.all(next);
  expect(ended).toEqual(['other', 'rested', 'rested']);
});

test('a wrong secret is not cached: every attempt is a new check', async () => {
  const apiKey = makeApiKey();
  expect(await apiKey.present('wrong')).toBe(false);
  const flooded = flood([apiKey], CHECKS_PER_API_KEY);
  await expect(apiKey.present('wrong')).rejects.toEqual(busy);
  await tally(flooded);
  expect(await apiKey.present('wrong')).toBe(false);
});

test.each([
  ['right', (secret: string) => secret, true],
  ['wrong', (secret: string) => `${secret.slice(1)}_`, false],
])('a %s secret that arrives in many simultaneous requests is checked once', async (_, presented, right) => {
  const apiKey = makeApiKey();
  const checks = Array.from({ length: 200 }, () => outcomeOf(apiKey.present(presented(apiKey.secret))));
  expect(secrets.checksInFlight).toBe(1);
  expect(await tally(checks)).toEqual({ [String(right)]: 200 });
});

test('a secret that has matched one hash is still checked against any other hash', async () => {
  const { tenantId, hash, secret, present } = makeApiKey();
  await present();
  expect(await secrets.verify(tenantId, cheapHash(secret), secrets.present(secret))).toBe(true);
  await expect(secrets.verify(tenantId, `${hash} `, secrets.present(secret))).rejects.toThrow('malformed');
  expect(await secrets.verify(tenantId, cheapHash(makeSecret()), secrets.present(secret))).toBe(false);
});

test('the number of secret checks in flight does not include pauses after wrong secrets', async () => {
  const flooded = flood(apiKeysOf(makeId(), 2), 3);
  expect(secrets.checksInFlight).toBe(6);
  await tally(flooded);
  expect(secrets.checksInFlight).toBe(0);
});

test('a secret check that throws an error frees its slots in the quotas of its API key and tenant', async () => {
  const tenantId = makeId<TenantId>();
  for (let time = 0; time < 2 * CHECKED_PER_TENANT; time++) {
    await expect(secrets.verify(tenantId, 'malformed', secrets.present(`any ${time}`))).rejects.toThrow('malformed');
  }
  expect(secrets.checksInFlight).toBe(0);
  expect(await makeApiKey(tenantId).present()).toBe(true);
});

test('a cached secret works even during a flood of wrong secrets for its API key', async () => {
  const apiKey = makeApiKey();
  await apiKey.present();
  void flood([apiKey], CHECKS_PER_API_KEY);
  expect(await apiKey.present()).toBe(true);
});

test('the cache of verified secrets evicts the least recently used secret', async () => {
  const [used, unused] = [makeApiKey(), makeApiKey()];
  await used.present();
  await unused.present();
  for (let minted = 0; minted < CACHED_SECRETS; minted += 100) {
    await Promise.all(Array.from({ length: 100 }, () => makeApiKey().present()));
    await used.present();
  }
  void flood([used, unused], CHECKS_PER_API_KEY);
  expect(await used.present()).toBe(true);
  await expect(unused.present()).rejects.toEqual(busy);
});

test('a tenant that hashes too many new secrets at the same time is refused, and another tenant is not', async () => {
  const tenantId = makeId<TenantId>();
  const hashes = Array.from({ length: HASHES_PER_TENANT }, () => secrets.hash(tenantId, makeSecret()));
  await expect(secrets.hash(tenantId, makeSecret())).rejects.toMatchObject({
    code: 'unavailable',
    message: 'too many api key creations in progress',
  });
  let done = 0;
  for (const hash of hashes)
    void hash.then(
      () => done++,
      () => undefined,
    );
  await secrets.hash(makeId(), makeSecret());
  expect(done).toBeLessThan(HASHES_PER_TENANT / 2);
  await Promise.allSettled(hashes);
});

test('a flood of wrong secrets does not stop the tenant from creating an API key', async () => {
  const tenantId = makeId<TenantId>();
  void flood(apiKeysOf(tenantId, 40), CHECKS_PER_API_KEY);
  await turn();
  await expect(secrets.hash(tenantId, makeSecret())).resolves.toMatch(/^\$argon2id\$/);
});

/** Hashes from the tests of the reference implementation: phc-winner-argon2, src/test.c. */
const REFERENCE = [
  '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
  '$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc',
];

test('a hash is a PHC string with 19 MiB, two passes, one lane, a 16-byte salt and a 32-byte tag', async () => {
  const hash = await hashSecret(makeSecret());
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
});

test('another implementation makes the same hash from the same secret and salt', async () => {
  const secret = makeSecret();
  const hash = await hashSecret(secret);
  const salt = Buffer.from(hash.split('$')[4] ?? '', 'base64');
  const cost = { memorySize: 19_456, iterations: 2, parallelism: 1, hashLength: 32 } as const;
  expect(await argon2idOfHashWasm({ password: secret, salt, ...cost, outputType: 'encoded' })).toBe(hash);
});

test('two hashes of the same secret have different salts, and the secret matches both hashes', async () => {
  const secret = makeSecret();
  const [one, other] = await Promise.all([hashSecret(secret), hashSecret(secret)]);
  expect(one).not.toBe(other);
  expect(await verifyHash(one, secret)).toBe(true);
  expect(await verifyHash(other, secret)).toBe(true);
});

test.each(REFERENCE)('a secret is verified with the cost parameters in its hash: %s', async (hash) => {
  expect(await verifyHash(hash, 'password')).toBe(true);
  expect(await verifyHash(hash, 'differentpassword')).toBe(false);
});

test('a secret with one character changed, dropped or added does not match, nor does an empty secret', async () => {
  const [hash = ''] = REFERENCE;
  for (const secret of ['Password', 'passwor', 'password ', ' password', 'password\0', '']) {
    expect(await verifyHash(hash, secret), JSON.stringify(secret)).toBe(false);
  }
});

test.each([
  ['an empty text', ''],
  ['the secret itself instead of a hash', 'password'],
  ['a hash of Argon2i', '$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'],
  ['a hash of Argon2d', '$argon2d$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'],
  [
    'a hash of Argon2 version 1.0',
    '$argon2id$v=16$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
  ],
  ['no version', '$argon2id$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'],
  ['no tag', '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ'],
  ['an empty tag', '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$'],
  ['a tag that is not whole bytes', '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$A'],
  ['an empty salt', '$argon2id$v=19$m=256,t=2,p=1$$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'],
  ['base64 padding', '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ=$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4='],
  ['parameters in another order', '$argon2id$v=19$t=2,m=256,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEg'],
  ['no passes', '$argon2id$v=19$m=256,t=0,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEg'],
  ['too little memory', '$argon2id$v=19$m=7,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEg'],
  ['an additional field', '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEg$x'],
  ['a line feed at the end', '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEg\n'],
])('verifying a secret against an invalid hash throws: %s', async (_, hash) => {
  await expect(verifyHash(hash, 'password')).rejects.toThrow(Error);
});

test('the error about a malformed hash contains neither the hash nor the secret', async () => {
  await expect(verifyHash('$argon2id$HASH', 'SECRET')).rejects.toThrow(/^a stored secret hash is malformed$/);
});

/** A rate limit on a clock that the test sets, in milliseconds. */
function makeLimit() {
  const time = { ms: 0 };
  return { time, limit: new RateLimit({ ...MONOTONIC, nowMs: () => time.ms }) };
}

function takeMany(limit: RateLimit, owner: string, times: number): number {
  return Array.from({ length: times }, () => limit.take(owner)).filter((taken) => taken).length;
}

test('the rate limit behaves like a bucket of 100 tokens that regains one token every 10 ms', () => {
  const request = fc.record({
    owner: fc.constantFrom('a', 'b'),
    afterMs: fc.oneof(fc.constant(0), fc.nat(25), fc.nat(3000)),
    times: fc.integer({ min: 1, max: 60 }),
  });
  fc.assert(
    fc.property(fc.array(request, { maxLength: 60 }), (requests) => {
      const { time, limit } = makeLimit();
      // To stay exact, the model stores tokens as milliseconds of refill: 10 ms for each token.
      const model = new Map<string, { ms: number; at: number }>();
      for (const { owner, afterMs, times } of requests) {
        time.ms += afterMs;
        const { ms, at } = model.get(owner) ?? { ms: 1000, at: 0 };
        const filled = Math.min(1000, ms + time.ms - at);
        const expected = Math.min(times, Math.floor(filled / 10));
        model.set(owner, { ms: filled - expected * 10, at: time.ms });
        expect(takeMany(limit, owner, times)).toBe(expected);
      }
    }),
  );
});

test('removing full buckets does not affect other buckets', () => {
  const { time, limit } = makeLimit();
  const used = Array.from({ length: 10_000 }, (_, at) => `used ${at}`);
  takeMany(limit, 'spent', 100);
  for (const owner of used) limit.take(owner);
  time.ms = 500;
  for (const owner of ['new 1', 'new 2', 'new 3']) expect(takeMany(limit, owner, 101)).toBe(100);
  expect(takeMany(limit, 'spent', 100)).toBe(50);
  for (const owner of used) expect(takeMany(limit, owner, 101)).toBe(100);
});

/** No person has a tenant. */
const reads = { find: async () => undefined };

function makeInFlight(inFlight: InFlight) {
  const turns = new Map<string, Disposable>();
  const request = { id: 'request-1', authorization: undefined, clientAddress: undefined, inFlight, turns };
  return {
    comesFrom: (sender: Parameters<typeof identify>[2]) => identify(reads, request, sender),
    end() {
      for (const turn of turns.values()) turn[Symbol.dispose]();
    },
  };
}

function senderOf(tenant_id: TenantId) {
  const apiKey: ApiKey = {
    id: makeId(),
    tenant_id,
    container_id: makeId(),
    name: 'sender',
    secret_hash: '',
    allowed_actions: [],
    key_ids: null,
    firewall_id: null,
    created_at: makeInstant(0),
    last_used_at: null,
    revoked_at: null,
    expires_at: null,
    federations: [],
    has_token: true,
  };
  return { kind: 'api_key', apiKey, idToken: undefined } as const;
}

function makePerson() {
  return { kind: 'person', person: { subjectId: randomUUID(), email: null, name: null } } as const;
}

const [apiKey, person, tenantId] = [senderOf(makeId()), makePerson(), makeId<TenantId>()];

test.each([
  ['api key', 256, () => apiKey, () => senderOf(makeId())],
  ['user', 256, () => person, makePerson],
  ['tenant', 384, () => senderOf(tenantId), () => senderOf(makeId())],
] as const)(
  'each %s may have %i requests in flight, no matter how many requests others have in flight',
  async (who, limit, sender, another) => {
    const inFlight = new InFlight();
    const requests = Array.from({ length: limit }, () => makeInFlight(inFlight));
    for (const request of requests) await request.comesFrom(sender());
    const refusal = { code: 'unavailable', message: `too many requests in progress for this ${who}` };
    await expect(makeInFlight(inFlight).comesFrom(sender())).rejects.toMatchObject(refusal);
    await makeInFlight(inFlight).comesFrom(another());
    requests[0]?.end();
    await makeInFlight(inFlight).comesFrom(sender());
    await expect(makeInFlight(inFlight).comesFrom(sender())).rejects.toMatchObject(refusal);
  },
);

test('a request counts once, even if its checks run repeatedly', async () => {
  const inFlight = new InFlight();
  const request = makeInFlight(inFlight);
  for (let times = 0; times < 300; times++) await request.comesFrom(apiKey);
  for (let others = 0; others < 255; others++) await makeInFlight(inFlight).comesFrom(apiKey);
  await expect(makeInFlight(inFlight).comesFrom(apiKey)).rejects.toThrow('too many requests');
  request.end();
  await makeInFlight(inFlight).comesFrom(apiKey);
});

test('a request that is refused because of its tenant’s limit does not count against its API key when it ends', async () => {
  const inFlight = new InFlight();
  for (let times = 0; times < 384; times++) await inFlight.tenants.take(apiKey.apiKey.tenant_id);
  for (let times = 0; times < 300; times++) {
    const request = makeInFlight(inFlight);
    await expect(request.comesFrom(apiKey)).rejects.toThrow('for this tenant');
    request.end();
  }
});
