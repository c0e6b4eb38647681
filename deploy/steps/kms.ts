import type { Deployment } from '../deployment.ts';
import { AUDIT_SIGNING, ROOT_RING, TENANTS_RING, WRAPPED_ROOT } from '../names.ts';
import { gcloud, type Step } from '../step.ts';

/**
 * Returns the steps that create the two key rings, the wrapped root and the key that signs the audit logs. The root is
 * never rotated, because data keys still need its old versions. The signing key is never rotated, because people who
 * verify logs keep its public key.
 */
export function createKeys({ region, rootProtection }: Deployment): Step[] {
  const at = `--location=${region}`;
  const rings = [TENANTS_RING, ROOT_RING].map((ring) => ({
    what: `key ring ${ring}`,
    find: gcloud('kms', 'keyrings', 'describe', ring, at, '--format=value(name)'),
    create: gcloud('kms', 'keyrings', 'create', ring, at),
  }));
  const signing = [AUDIT_SIGNING, `--keyring=${ROOT_RING}`, at];
  const root = [WRAPPED_ROOT, `--keyring=${ROOT_RING}`, at];
  return [
    ...rings,
    {
      what: 'wrapped root',
      find: gcloud('kms', 'keys', 'describe', ...root, '--format=value(name)'),
      create: gcloud(
        ...['kms', 'keys', 'create', ...root, '--purpose=encryption', `--protection-level=${rootProtection}`],
        // This is the longest delay that the KMS allows. Destroying the root would destroy every data key.
        '--destroy-scheduled-duration=120d',
      ),
    },
    {
      what: 'signing key for audit logs',
      find: gcloud('kms', 'keys', 'describe', ...signing, '--format=value(name)'),
      create: gcloud(
        ...['kms', 'keys', 'create', ...signing, '--purpose=asymmetric-signing'],
        ...['--default-algorithm=ec-sign-ed25519', '--protection-level=software', '--destroy-scheduled-duration=120d'],
      ),
    },
  ];
}
