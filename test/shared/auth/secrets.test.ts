import { argon2Sync, randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Secrets } from '../../../shared/auth/secrets.ts';
import { makeId, type TenantId } from '../../../shared/base/ids.ts';
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

function makeApiKey(tenantId: TenantId = makeId()) {
  const secret = makeSecret();
  const hash = cheapHash(secret);
  const present = (secrets: Secrets, presented = secret) => secrets.verify(tenantId, hash, secrets.present(presented));
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
function flood(secrets: Secrets, apiKeys: readonly TestApiKey[], times: number): Promise<string>[] {
  return apiKeys.flatMap((apiKey) =>
    Array.from({ length: times }, (_, time) => outcomeOf(apiKey.present(secrets, `wrong ${time}`))),
  );
}

/** Returns how often each outcome occurs. */
async function tally(outcomes: readonly Promise<string>[]): Promise<Record<string, number>> {
  const byOutcome = Map.groupBy(await Promise.all(outcomes), (outcome) => outcome);
  return Object.fromEntries([...byOutcome].map(([outcome, all]) => [outcome, all.length]));
}

const busy = expect.objectContaining({ code: 'unavailable', message: 'too many api key checks in progress' });

describe('checking secrets', () => {
  test('only the right secret is accepted', async () => {
    const secrets = new Secrets();
    const apiKey = makeApiKey();
    expect(await apiKey.present(secrets, makeSecret())).toBe(false);
    expect(await apiKey.present(secrets)).toBe(true);
    expect(await apiKey.present(secrets, makeSecret())).toBe(false);
    expect(await apiKey.present(secrets)).toBe(true);
  });

  test('wrong secrets for many API keys of one tenant do not block another tenant’s first check', async () => {
    const secrets = new Secrets();
    void flood(secrets, apiKeysOf(makeId(), 40), CHECKS_PER_API_KEY);
    expect(await makeApiKey().present(secrets)).toBe(true);
  });

  test('a tenant’s first secret check does not wait behind all queued checks of another tenant', async () => {
    const secrets = new Secrets();
    const ended: string[] = [];
    const note = (name: string) => () => ended.push(name);
    const greedy = flood(secrets, apiKeysOf(makeId(), CHECKED_PER_TENANT), 1).map((check) =>
      check.then(note('greedy')),
    );
    const modest = makeApiKey().present(secrets).then(note('modest'));
    await Promise.all([...greedy, modest]);
    expect(ended.indexOf('modest')).toBeLessThan(CHECKED_PER_TENANT / 2);
  });

  test('a flood of wrong secrets for six API keys does not block the tenant’s other API keys', async () => {
    const secrets = new Secrets();
    const tenantId = makeId<TenantId>();
    const flooded = flood(secrets, apiKeysOf(tenantId, 6), 2 * CHECKS_PER_API_KEY);
    expect(await makeApiKey(tenantId).present(secrets)).toBe(true);
    expect(await tally(flooded)).toEqual({ false: 6 * CHECKS_PER_API_KEY, unavailable: 6 * CHECKS_PER_API_KEY });
  });

  test('a flood of wrong secrets for one API key uses only the quota of that API key', async () => {
    const secrets = new Secrets();
    const apiKey = makeApiKey();
    const flooded = flood(secrets, [apiKey], CHECKS_PER_API_KEY);
    await expect(apiKey.present(secrets)).rejects.toEqual(busy);
    expect(await tally(flooded)).toEqual({ false: CHECKS_PER_API_KEY });
    expect(await apiKey.present(secrets)).toBe(true);
  });

  test('if the secrets of too many API keys of a tenant are being checked, another one of them is refused', async () => {
    const secrets = new Secrets();
    const tenantId = makeId<TenantId>();
    const flooded = flood(secrets, apiKeysOf(tenantId, CHECKED_PER_TENANT), 1);
    await expect(makeApiKey(tenantId).present(secrets)).rejects.toEqual(busy);
    expect(await makeApiKey().present(secrets)).toBe(true);
    expect(await tally(flooded)).toEqual({ false: CHECKED_PER_TENANT });
  });

  test('the pause after a wrong secret does not delay the tenant’s other API keys', async () => {
    const secrets = new Secrets();
    const tenantId = makeId<TenantId>();
    const ended: string[] = [];
    const resting = apiKeysOf(tenantId, RUNNING_PER_TENANT);
    await tally(flood(secrets, resting, 1));
    const next = resting.map((apiKey) => apiKey.present(secrets).then(() => ended.push('rested')));
    await makeApiKey(tenantId)
      .present(secrets)
      .then(() => ended.push('other'));
    await Promise.all(next);
    expect(ended).toEqual(['other', 'rested', 'rested']);
  });

  test('the secret checks of one API key run in order of arrival', async () => {
    const secrets = new Secrets();
    const apiKey = makeApiKey();
    const ended: string[] = [];
    const all = ['wrong 1', apiKey.secret, 'wrong 2'].map((presented) =>
      apiKey.present(secrets, presented).then(() => ended.push(presented)),
    );
    await Promise.all(all);
    expect(ended).toEqual(['wrong 1', apiKey.secret, 'wrong 2']);
  });

  test('a wrong secret is not cached: every attempt is a new check', async () => {
    const secrets = new Secrets();
    const apiKey = makeApiKey();
    expect(await apiKey.present(secrets, 'wrong')).toBe(false);
    const flooded = flood(secrets, [apiKey], CHECKS_PER_API_KEY);
    await expect(apiKey.present(secrets, 'wrong')).rejects.toEqual(busy);
    await tally(flooded);
    expect(await apiKey.present(secrets, 'wrong')).toBe(false);
  });

  test.each([
    ['right', (secret: string) => secret, true],
    ['wrong', (secret: string) => `${secret.slice(1)}_`, false],
  ])('a %s secret that arrives in many simultaneous requests is checked once', async (_, presented, right) => {
    const secrets = new Secrets();
    const apiKey = makeApiKey();
    const checks = Array.from({ length: 200 }, () => outcomeOf(apiKey.present(secrets, presented(apiKey.secret))));
    expect(secrets.checksInFlight).toBe(1);
    expect(await tally(checks)).toEqual({ [String(right)]: 200 });
  });

  test('a cached secret does not match another API key’s hash', async () => {
    const secrets = new Secrets();
    const [before, after] = [makeApiKey(), makeApiKey()];
    expect(await before.present(secrets)).toBe(true);
    expect(await after.present(secrets, before.secret)).toBe(false);
    expect(await before.present(secrets, after.secret)).toBe(false);
    expect(await after.present(secrets)).toBe(true);
  });

  test('a secret that has matched one hash is still checked against any other hash', async () => {
    const secrets = new Secrets();
    const { tenantId, hash, secret, present } = makeApiKey();
    await present(secrets);
    expect(await secrets.verify(tenantId, cheapHash(secret), secrets.present(secret))).toBe(true);
    await expect(secrets.verify(tenantId, `${hash} `, secrets.present(secret))).rejects.toThrow('malformed');
    expect(await secrets.verify(tenantId, cheapHash(makeSecret()), secrets.present(secret))).toBe(false);
  });

  test('the number of secret checks in flight does not include pauses after wrong secrets', async () => {
    const secrets = new Secrets();
    const flooded = flood(secrets, apiKeysOf(makeId(), 2), 3);
    expect(secrets.checksInFlight).toBe(6);
    await tally(flooded);
    expect(secrets.checksInFlight).toBe(0);
  });

  test('a secret check that throws an error frees its slots in the quotas of its API key and tenant', async () => {
    const secrets = new Secrets();
    const tenantId = makeId<TenantId>();
    for (let time = 0; time < 2 * CHECKED_PER_TENANT; time++) {
      await expect(secrets.verify(tenantId, 'malformed', secrets.present(`any ${time}`))).rejects.toThrow('malformed');
    }
    expect(secrets.checksInFlight).toBe(0);
    expect(await makeApiKey(tenantId).present(secrets)).toBe(true);
  });
});

describe('the cache of verified secrets', () => {
  test('a cached secret works even during a flood of wrong secrets for its API key', async () => {
    const secrets = new Secrets();
    const apiKey = makeApiKey();
    await apiKey.present(secrets);
    void flood(secrets, [apiKey], CHECKS_PER_API_KEY);
    expect(await apiKey.present(secrets)).toBe(true);
  });

  test('the cache of verified secrets is not shared between processes', async () => {
    const apiKey = makeApiKey();
    await apiKey.present(new Secrets());
    const other = new Secrets();
    void flood(other, [apiKey], CHECKS_PER_API_KEY);
    await expect(apiKey.present(other)).rejects.toEqual(busy);
  });

  test('the cache of verified secrets evicts the least recently used secret', async () => {
    const secrets = new Secrets();
    const [used, unused] = [makeApiKey(), makeApiKey()];
    await used.present(secrets);
    await unused.present(secrets);
    for (let minted = 0; minted < CACHED_SECRETS; minted += 100) {
      await Promise.all(Array.from({ length: 100 }, () => makeApiKey().present(secrets)));
      await used.present(secrets);
    }
    void flood(secrets, [used, unused], CHECKS_PER_API_KEY);
    expect(await used.present(secrets)).toBe(true);
    await expect(unused.present(secrets)).rejects.toEqual(busy);
  });
});

describe('hashing new secrets', () => {
  test('a new secret matches its hash', async () => {
    const secrets = new Secrets();
    const tenantId = makeId<TenantId>();
    const secret = makeSecret();
    expect(await secrets.verify(tenantId, await secrets.hash(tenantId, secret), secrets.present(secret))).toBe(true);
  });

  test('a tenant that hashes too many new secrets at the same time is refused, and another tenant is not', async () => {
    const secrets = new Secrets();
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
    const secrets = new Secrets();
    const tenantId = makeId<TenantId>();
    void flood(secrets, apiKeysOf(tenantId, 40), CHECKS_PER_API_KEY);
    await turn();
    await expect(secrets.hash(tenantId, makeSecret())).resolves.toMatch(/^\$argon2id\$/);
  });
});
