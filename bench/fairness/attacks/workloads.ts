import { makeId } from '../../../shared/base/ids.ts';
import type { Attack, Attacker } from '../attack.ts';
import { atInterval, inParallel } from '../pace.ts';

const TOKENS = 60;
const RATE_MS = 10;

/** Tries to use up processor time and reads of Firestore. Everybody can get signed ID tokens of a public issuer. */
export const strangers: Attack = {
  name: 'ID tokens of strangers',
  sends: 'well-signed ID tokens that match no federation, 300 a second',
  prepare: async (attacker) => {
    const tokens = await inParallel(TOKENS, (n) => attacker.tenant.idToken(makeId(), `stranger ${n}`));
    return () => flood(attacker, (n) => tokens[n % TOKENS]);
  },
};

/** Tries to make the service read the issuer's keys again and again. */
export const unknownKids: Attack = {
  name: 'unknown keys of an issuer',
  sends: 'ID tokens with names of keys that the issuer does not have, 300 a second',
  prepare: async (attacker) => {
    const [, ...signed] = (await attacker.tenant.idToken(makeId(), 'stranger')).split('.');
    const header = (n: number) => JSON.stringify({ alg: 'ES256', typ: 'JWT', kid: `unknown ${n}` });
    return () => flood(attacker, (n) => [Buffer.from(header(n)).toString('base64url'), ...signed].join('.'));
  },
};

/** Tries to keep the workload of an API key from using it. The workload's requests count as the attacker's. */
export const wrongSecretsOfOne: Attack = {
  name: 'wrong secrets of one API key',
  sends: 'wrong secrets for one API key, 100 a second, and 20 requests a second of its workload',
  async prepare({ tenant, stopped, send }) {
    const { token, idToken } = await tenant.federate();
    const wrong = (n: number) => token.slice(0, -6) + String(n % 1_000_000).padStart(6, '0');
    const call = (token: string) => send({ method: 'GET', path: '/v1/caller', token });
    return () => atInterval(RATE_MS, stopped, (n) => [call(wrong(n)), n % 5 === 0 && call(idToken)]);
  },
};

function flood({ stopped, send }: Attacker, token: (n: number) => string | undefined): Promise<unknown> {
  const call = (n: number) => send({ method: 'GET', path: '/v1/caller', token: token(n) ?? '' });
  return atInterval(RATE_MS, stopped, (n) => [0, 1, 2].map((one) => call(3 * n + one)));
}
