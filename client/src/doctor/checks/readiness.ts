import type { Examination } from '../examination.ts';
import { failedCall } from '../failed-call.ts';
import { fail, ok, type Verdict } from '../finding.ts';

/** The check gives Firestore and the KMS less time than requests do, so requests may still succeed. */
const PARTS = {
  firestore: 'Firestore does not answer in time: everything may be slow or fail.',
  kms: 'The KMS does not answer in time: using, creating and rotating keys may be slow or fail.',
  policy: 'The policy decision point does not answer: requests that need a decision on rights fail.',
} as const;

export async function checkReadiness({ readiness }: Examination): Promise<Verdict> {
  const outcome = await readiness();
  if ('error' in outcome) return failedCall('The service could not check its dependencies', outcome.error);
  const { firestore, kms, policy } = outcome.value.checks;
  const down = [
    firestore === 'ok' ? [] : PARTS.firestore,
    kms === 'ok' ? [] : PARTS.kms,
    policy === 'ok' ? [] : PARTS.policy,
  ].flat();
  if (down.length === 0) return ok('All parts of the service answer.');
  return fail(down.join(' '), 'Try again later. If the check still fails, tell the operator.');
}
