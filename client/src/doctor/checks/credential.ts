import type { Examination } from '../examination.ts';
import { codeOf, failedCall } from '../failed-call.ts';
import { fail, ok, type Verdict } from '../finding.ts';

export async function checkCredential({ options, caller }: Examination): Promise<Verdict> {
  const { source, apiKey, accessToken } = options;
  if (apiKey === undefined && accessToken === undefined) return fail('There is no usable credential.', source);
  const outcome = await caller();
  if ('value' in outcome) return ok(`The service accepts ${source}.`);
  switch (codeOf(outcome.error)) {
    // The service answers with these codes only after it has accepted the credential.
    case 'ip_not_allowed':
    case 'no_tenant':
      return ok(`The service accepts ${source}.`);
    case 'unauthorized':
      return fail(
        `The service does not accept ${source}.`,
        apiKey === undefined
          ? 'Sign in again.'
          : 'Check that the token is complete, and that it is for this service. If the API key was revoked, create a new one.',
      );
    default:
      return failedCall(`The service could not check ${source}`, outcome.error);
  }
}
