import type { Deployment } from '../deployment.ts';
import { ROOT_RING, TENANTS_RING, WRAPPED_ROOT } from '../names.ts';
import { gcloud, type Step } from '../step.ts';

/** The two key rings, and the wrapped root. It has no rotation schedule: old versions must stay, so one would only add more. */
export function createKeys({ region, rootProtection }: Deployment): Step[] {
  const at = `--location=${region}`;
  const rings = [TENANTS_RING, ROOT_RING].map((ring) => ({
    what: `key ring ${ring}`,
    find: gcloud('kms', 'keyrings', 'describe', ring, at, '--format=value(name)'),
    create: gcloud('kms', 'keyrings', 'create', ring, at),
  }));
  const root = [WRAPPED_ROOT, `--keyring=${ROOT_RING}`, at];
  return [
    ...rings,
    {
      what: 'wrapped root',
      find: gcloud('kms', 'keys', 'describe', ...root, '--format=value(name)'),
      create: gcloud(
        ...['kms', 'keys', 'create', ...root, '--purpose=encryption', `--protection-level=${rootProtection}`],
        // The longest that the KMS allows: who destroys it destroys every data key.
        '--destroy-scheduled-duration=120d',
      ),
    },
  ];
}
