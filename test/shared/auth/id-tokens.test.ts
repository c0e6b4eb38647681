import { afterAll, beforeAll, expect, test } from 'vitest';
import { readIdToken } from '../../../shared/auth/id-token.ts';
import { IdTokens } from '../../../shared/auth/id-tokens.ts';
import { makeInstant } from '../../../shared/base/clock.ts';
import { makeLog } from '../../../shared/base/log.ts';
import { signedBy, startTestIssuer, type TestIssuer } from '../../support/workloads.ts';

const MINUTE_MS = 60_000;
const API_KEY = 'urn:uuid:7d2e4b60-91c3-4e8f-b1a6-2f3c8d9e0b32';
const refused = expect.objectContaining({ code: 'unauthorized' });

let issuer: TestIssuer;
beforeAll(async () => {
  issuer = await startTestIssuer();
});
afterAll(() => issuer.stop());

/**
 * Makes the service's verification with a clock that moves only when told to. A digest identifies a token, so a forged
 * token with the digest of a genuine one passes exactly if the verification of the genuine one was remembered.
 */
function anIdTokens() {
  let nowMs = Date.now();
  const config = {
    workloadIssuers: [{ issuer: issuer.issuer, claims: ['sub'], maxLifetimeS: 86_400 }],
    firestoreEmulatorHost: '127.0.0.1:1',
    identity: undefined,
  };
  const idTokens = new IdTokens(
    config,
    { now: () => makeInstant(nowMs * 1000) },
    makeLog(() => undefined),
  );
  const iat = Math.floor(nowMs / 1000);
  const text = signedBy('es', 'ES256', { iss: issuer.issuer, aud: API_KEY, sub: 'job', iat, exp: iat + 3_600 });
  const read = (token: string) => {
    const idToken = readIdToken(token, config);
    if (idToken === undefined) throw new Error('the token is not an ID token');
    return idToken;
  };
  const [genuine, forged] = [read(text), read(text.replace(/[^.]+$/, 'AAAA'))];
  return {
    idTokens,
    pass: (ms: number) => {
      nowMs += ms;
    },
    matched: async (digest: string) => idTokens.remember(digest, await idTokens.verify(genuine, digest)),
    genuine: (digest: string) => idTokens.verify(genuine, digest),
    forged: (digest: string) => idTokens.verify(forged, digest),
  };
}

test('a verification is remembered after a federation matched, and only for this token', async () => {
  const { genuine, forged, matched } = anIdTokens();
  await genuine('one');
  await expect(forged('one')).rejects.toEqual(refused);
  await matched('one');
  expect(await forged('one')).toMatchObject({ workload: { subject: 'job' } });
  await expect(forged('two')).rejects.toEqual(refused);
});

test('a verification is remembered for five minutes, also if the token is used meanwhile', async () => {
  const { forged, matched, pass } = anIdTokens();
  await matched('one');
  pass(5 * MINUTE_MS - 1);
  await matched('one');
  await forged('one');
  pass(1);
  await expect(forged('one')).rejects.toEqual(refused);
});

test('at most 10,000 verifications are remembered', async () => {
  const { idTokens, genuine, forged } = anIdTokens();
  const verified = await genuine('first');
  idTokens.remember('first', verified);
  for (let n = 1; n < 10_000; n++) idTokens.remember(`${n}`, verified);
  await forged('first');
  idTokens.remember('one more', verified);
  await expect(forged('1')).rejects.toEqual(refused);
  await forged('first');
});
