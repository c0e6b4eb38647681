import type { Attack, Attacker } from '../attack.ts';
import { atInterval, inParallel } from '../pace.ts';

const TOKENS = 60;
const RATE_MS = 10;
const RATES = '300 a second, and 20 requests a second of its workload';

/** Tries to use up processor time and reads of Firestore. Everybody can get signed ID tokens of a public issuer. */
export const strangers: Attack = {
  name: 'ID tokens of strangers',
  sends: `well-signed ID tokens for one API key that match none of its federations, ${RATES}`,
  prepare: async (attacker) => {
    const { id, idToken } = await attacker.tenant.federate();
    const tokens = await inParallel(TOKENS, (n) => attacker.tenant.idToken(id, `stranger ${n}`));
    return () => flood(attacker, idToken, (n) => tokens[n % TOKENS]);
  },
};

/** Tries to make the service read the issuer's keys again and again. */
export const unknownKids: Attack = {
  name: 'unknown keys of an issuer',
  sends: `ID tokens for one API key with names of keys that the issuer does not have, ${RATES}`,
  prepare: async (attacker) => {
    const { idToken } = await attacker.tenant.federate();
    const [, ...signed] = idToken.split('.');
    const header = (n: number) => JSON.stringify({ alg: 'ES256', typ: 'JWT', kid: `unknown ${n}` });
    return () => flood(attacker, idToken, (n) => [Buffer.from(header(n)).toString('base64url'), ...signed].join('.'));
  },
};

/** Tries to keep the workload of an API key from using it. */
export const wrongSecretsOfOne: Attack = {
  name: 'wrong secrets of one API key',
  sends: 'wrong secrets for one API key, 100 a second, and 20 requests a second of its workload',
  async prepare(attacker) {
    const { token, idToken } = await attacker.tenant.federate();
    const wrong = (n: number) => token.slice(0, -6) + String(n % 1_000_000).padStart(6, '0');
    return () => attackBeside(attacker, idToken, (n) => attacker.send(caller(wrong(n))));
  },
};

function flood(attacker: Attacker, idToken: string, token: (n: number) => string | undefined): Promise<unknown> {
  return attackBeside(attacker, idToken, (n) =>
    [0, 1, 2].map((one) => attacker.send(caller(token(3 * n + one) ?? ''))),
  );
}

/** Attacks 100 times a second, while the workload sends 20 requests a second. */
function attackBeside(attacker: Attacker, idToken: string, attack: (n: number) => unknown): Promise<unknown> {
  return atInterval(RATE_MS, attacker.stopped, (n) => {
    if (n % 5 === 0) void attacker.sendAsVictim(caller(idToken));
    return attack(n);
  });
}

const caller = (token: string) => ({ method: 'GET', path: '/v1/caller', token });
