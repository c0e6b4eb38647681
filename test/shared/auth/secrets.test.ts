import { argon2id } from 'hash-wasm';
import { describe, expect, test } from 'vitest';
import { Secrets } from '../../../shared/auth/secrets.ts';
import { makeSecret } from '../../../shared/tenancy/token.ts';

const CHECKS_IN_FLIGHT = 32;
const CHECKS_OF_ONE_API_KEY = 16;
const HASHES_IN_FLIGHT = 32;

/** A hash at the least cost that Argon2id has: what is tested is the bookkeeping around it. */
function cheapHash(secret: string): Promise<string> {
  const cost = { memorySize: 8, iterations: 1, parallelism: 1, hashLength: 32 } as const;
  return argon2id({ password: secret, salt: Buffer.from(makeSecret()), ...cost, outputType: 'encoded' });
}

async function anApiKey() {
  const secret = makeSecret();
  return { secret, hash: await cheapHash(secret) };
}

const others = await Promise.all(Array.from({ length: CHECKS_IN_FLIGHT }, anApiKey));

/** Takes that many places by checking a wrong secret of as many API keys; `end` waits for them. Nothing ends before the event loop turns. */
function occupy(secrets: Secrets, places: number) {
  const checks = others.slice(0, places).map(({ hash }) => secrets.verify(hash, 'wrong'));
  return { end: () => Promise.all(checks) };
}

const busy = expect.objectContaining({ code: 'unavailable', message: 'too many api key checks in flight' });

describe('checking secrets', () => {
  test('the right secret is right, any other wrong', async () => {
    const secrets = new Secrets();
    const { secret, hash } = await anApiKey();
    expect(await secrets.verify(hash, makeSecret())).toBe(false);
    expect(await secrets.verify(hash, secret)).toBe(true);
    expect(await secrets.verify(hash, makeSecret())).toBe(false);
    expect(await secrets.verify(hash, secret)).toBe(true);
  });

  test('as many API keys as there are places are checked side by side; one more is refused', async () => {
    const secrets = new Secrets();
    const { secret, hash } = await anApiKey();
    const occupied = occupy(secrets, CHECKS_IN_FLIGHT);
    await expect(secrets.verify(hash, secret)).rejects.toEqual(busy);
    expect(await occupied.end()).toEqual(Array(CHECKS_IN_FLIGHT).fill(false));
    expect(await secrets.verify(hash, secret)).toBe(true);
  });

  test('one API key fills its own places alone: past them it is refused, and others are checked', async () => {
    const secrets = new Secrets();
    const { secret, hash } = await anApiKey();
    const flood = Array.from({ length: CHECKS_OF_ONE_API_KEY }, (_, at) => secrets.verify(hash, `wrong ${at}`));
    await expect(secrets.verify(hash, secret)).rejects.toEqual(busy);
    const occupied = occupy(secrets, CHECKS_IN_FLIGHT - CHECKS_OF_ONE_API_KEY);
    expect(await occupied.end()).not.toContain(true);
    expect(await Promise.all(flood)).not.toContain(true);
    expect(await secrets.verify(hash, secret)).toBe(true);
  });

  test('the checks of one API key end in the order in which they came', async () => {
    const secrets = new Secrets();
    const { secret, hash } = await anApiKey();
    const ended: string[] = [];
    const all = ['wrong 1', secret, 'wrong 2'].map((presented) =>
      secrets.verify(hash, presented).then(() => ended.push(presented)),
    );
    await Promise.all(all);
    expect(ended).toEqual(['wrong 1', secret, 'wrong 2']);
  });

  test('a right secret is remembered: it needs no place again', async () => {
    const secrets = new Secrets();
    const { secret, hash } = await anApiKey();
    await secrets.verify(hash, secret);
    const occupied = occupy(secrets, CHECKS_IN_FLIGHT);
    expect(await secrets.verify(hash, secret)).toBe(true);
    await occupied.end();
  });

  test('a wrong secret is not remembered: it needs a place every time', async () => {
    const secrets = new Secrets();
    const { hash } = await anApiKey();
    const wrong = makeSecret();
    expect(await secrets.verify(hash, wrong)).toBe(false);
    const occupied = occupy(secrets, CHECKS_IN_FLIGHT);
    await expect(secrets.verify(hash, wrong)).rejects.toEqual(busy);
    await occupied.end();
    expect(await secrets.verify(hash, wrong)).toBe(false);
  });

  test.each([
    ['right', (secret: string) => secret, true],
    ['wrong', (secret: string) => `${secret.slice(1)}_`, false],
  ])('a %s secret that many present at once is checked once for all of them', async (_, present, right) => {
    const secrets = new Secrets();
    const { secret, hash } = await anApiKey();
    const occupied = occupy(secrets, CHECKS_IN_FLIGHT - 1);
    const checks = Array.from({ length: 200 }, () => secrets.verify(hash, present(secret)));
    expect(await Promise.all(checks)).toEqual(Array(200).fill(right));
    await occupied.end();
  });

  test('a changed hash is not satisfied by the secret before it, nor is another API key’s', async () => {
    const secrets = new Secrets();
    const [before, after] = [await anApiKey(), await anApiKey()];
    expect(await secrets.verify(before.hash, before.secret)).toBe(true);
    expect(await secrets.verify(after.hash, before.secret)).toBe(false);
    expect(await secrets.verify(before.hash, after.secret)).toBe(false);
    expect(await secrets.verify(after.hash, after.secret)).toBe(true);
  });

  test('what divides hash and secret is not taken for a part of either', async () => {
    const secrets = new Secrets();
    const { secret, hash } = await anApiKey();
    await secrets.verify(hash, secret);
    await expect(secrets.verify(`${hash}\0`, secret)).rejects.toThrow('malformed');
    await expect(secrets.verify(hash.slice(0, 20), `${hash.slice(20)}\0${secret}`)).rejects.toThrow('malformed');
  });

  test('tells how many checks are in flight', async () => {
    const secrets = new Secrets();
    const occupied = occupy(secrets, 3);
    expect(secrets.checksInFlight).toBe(3);
    await occupied.end();
    expect(secrets.checksInFlight).toBe(0);
  });

  test('a check that cannot be made gives its place back', async () => {
    const secrets = new Secrets();
    const { secret, hash } = await anApiKey();
    const broken = Array.from({ length: CHECKS_IN_FLIGHT }, (_, at) => secrets.verify(`malformed ${at}`, 'any'));
    expect((await Promise.allSettled(broken)).map(({ status }) => status)).not.toContain('fulfilled');
    expect(await secrets.verify(hash, secret)).toBe(true);
  });

  test('two processes remember apart', async () => {
    const { secret, hash } = await anApiKey();
    await new Secrets().verify(hash, secret);
    const other = new Secrets();
    const occupied = occupy(other, CHECKS_IN_FLIGHT);
    await expect(other.verify(hash, secret)).rejects.toEqual(busy);
    await occupied.end();
  });
});

describe('hashing new secrets', () => {
  test('a new secret satisfies its hash', async () => {
    const secrets = new Secrets();
    const secret = makeSecret();
    expect(await secrets.verify(await secrets.hash(secret), secret)).toBe(true);
  });

  test('past so many at once one more is refused', async () => {
    const secrets = new Secrets();
    const hashes = Array.from({ length: HASHES_IN_FLIGHT }, () => secrets.hash(makeSecret()));
    await expect(secrets.hash(makeSecret())).rejects.toMatchObject({
      code: 'unavailable',
      message: 'too many new api keys in flight',
    });
    await expect(Promise.all(hashes)).resolves.toHaveLength(HASHES_IN_FLIGHT);
  });
});
