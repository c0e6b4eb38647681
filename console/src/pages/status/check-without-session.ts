import { diagnose, EncryptionService, type Finding, type SignIn } from '../../../../client/src/index.ts';
import { readConfig } from '../../session/config.ts';
import { discover } from '../../session/provider.ts';
import { STATUS } from '../../words.ts';

/** A finding of the client library, or of the check that people can sign in. */
export type ShownFinding = Omit<Finding, 'check'> & { readonly check: Finding['check'] | 'sign_in' };

/** The checks of the client library that need no session. */
const PUBLIC: readonly Finding['check'][] = ['address', 'tls', 'clock', 'readiness'];
const TIMEOUT_MS = 15_000;

/** Checks the service, and whether people can sign in. Throws if `config.json` cannot be read. */
export async function checkWithoutSession(): Promise<readonly ShownFinding[]> {
  const { apiUrl: url } = await readConfig();
  const findings = (await diagnose({ url, source: '' })).filter(({ check }) => PUBLIC.includes(check));
  const isReached = findings.every(({ check, state }) => check === 'readiness' || state !== 'fail');
  return [
    ...findings,
    isReached ? await checkSignIn(url) : { check: 'sign_in', state: 'skipped', ...STATUS.notChecked },
  ];
}

async function checkSignIn(url: string): Promise<ShownFinding> {
  const check = 'sign_in';
  let settings: SignIn;
  try {
    settings = await new EncryptionService({ url, maxRetries: 0, timeoutMs: TIMEOUT_MS }).signIn();
  } catch {
    return { check, state: 'fail', ...STATUS.noSettings };
  }
  try {
    await discover(settings);
    return { check, state: 'ok', found: STATUS.providerAnswers(settings.issuer), advice: null };
  } catch {
    return { check, state: 'fail', ...STATUS.providerFails(settings.issuer) };
  }
}
