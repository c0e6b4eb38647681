import type { Examination } from '../examination.ts';
import { codeOf, failedCall } from '../failed-call.ts';
import { fail, ok, skipped, type Verdict, warn } from '../finding.ts';

/** Reports which operations work with the current billing standing. */
export async function checkBilling({ options, billing, keys }: Examination): Promise<Verdict> {
  if (options.apiKey !== undefined) {
    return skipped(
      'Only a signed-in person can read billing. To check it, sign in and run: env -u ESK_API_KEY -u ESK_API_KEY_FILE -u ESK_WORKLOAD esk doctor',
    );
  }
  const outcome = await billing();
  if ('error' in outcome) {
    if (codeOf(outcome.error) === 'not_found') return skipped('This service has no billing.');
    return failedCall('The service could not report the billing standing', outcome.error);
  }
  const { standing, subscription } = outcome.value;
  const status = subscription === null ? 'There is no subscription' : `The subscription is ${subscription.status}`;
  if (standing === 'good') {
    return subscription?.status === 'past_due'
      ? warn(`${status}: a payment failed. Everything still works.`, 'Update the payment method.')
      : ok(`${status}. Everything works.`);
  }
  const all = await keys();
  if ('error' in all) return failedCall('The service could not list your keys', all.error);
  if (all.value.every(({ tier }) => tier === 'free'))
    return ok(`${status}. Free keys work. Paid keys need a subscription.`);
  return fail(
    `${status}. Paid keys only decrypt and unwrap: the service refuses encrypt, wrap and rewrap, and new paid keys. Free keys work.`,
    'An owner must start a subscription, or pay the open invoice.',
  );
}
