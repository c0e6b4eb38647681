import { type TokenFault, tokenFault } from '../access-token.ts';
import type { Examination } from '../examination.ts';
import { codeOf, failedCall } from '../failed-call.ts';
import { fail, ok, type Verdict } from '../finding.ts';

const CHECK_API_KEY =
  'Check that the token is complete, and that it is for this service. If the API key was revoked, create a new one.';

export async function checkCredential(examination: Examination): Promise<Verdict> {
  const { options, caller } = examination;
  const { source, apiKey, accessToken } = options;
  if (apiKey === undefined && accessToken === undefined) return fail('There is no usable credential.', source);
  const outcome = await caller();
  if ('value' in outcome) return ok(`The service accepts ${source}.`);
  switch (codeOf(outcome.error)) {
    // The service answers with these codes only after it has accepted the credential.
    case 'ip_not_allowed':
    case 'no_tenant':
      return ok(`The service accepts ${source}.`);
    case 'unauthorized': {
      const refused = `The service does not accept ${source}.`;
      if (apiKey !== undefined) return fail(refused, CHECK_API_KEY);
      const fault = await faultOf(examination);
      return fail(fault === undefined ? refused : `${refused} ${fault.found}`, fault?.advice ?? 'Sign in again.');
    }
    default:
      return failedCall(`The service could not check ${source}`, outcome.error);
  }
}

/** Returns what is wrong with the access token that the service has refused, if the token shows it. */
async function faultOf({ options, signIn, live }: Examination): Promise<TokenFault | undefined> {
  const [settings, reached] = await Promise.all([signIn(), live()]);
  const token = await Promise.resolve(options.accessToken?.()).catch(() => undefined);
  if (token === undefined || !('value' in settings)) return undefined;
  const date = 'value' in reached ? Date.parse(reached.value.dated?.date ?? '') : Number.NaN;
  return tokenFault(token, settings.value, Number.isNaN(date) ? Date.now() : date);
}
