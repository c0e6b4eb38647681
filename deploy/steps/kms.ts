import type { Deployment } from '../deployment.ts';
import { secretsOf } from '../environment.ts';
import { FUNCTION_NAMES } from '../functions.ts';
import { AUDIT_SIGNING, ROOT_RING, secretName, TENANTS_RING, WRAPPED_ROOT } from '../names.ts';
import { gcloud, named, type Step } from '../step.ts';

/**
 * Returns the steps that create the two key rings, the wrapped root and the key that signs the audit logs. The root is
 * never rotated, because data keys still need its old versions. The signing key is never rotated, because people who
 * verify logs keep its public key.
 */
export function createKeys({ region, rootProtection }: Deployment): Step[] {
  const at = `--location=${region}`;
  const rings = [TENANTS_RING, ROOT_RING].map((ring) => ({
    what: `key ring ${ring}`,
    find: gcloud('kms', 'keyrings', 'list', at, named(ring), '--format=value(name)'),
    create: gcloud('kms', 'keyrings', 'create', ring, at),
  }));
  const inRing = [`--keyring=${ROOT_RING}`, at];
  const findKey = (key: string) => gcloud('kms', 'keys', 'list', ...inRing, named(key), '--format=value(name)');
  return [
    ...rings,
    {
      what: 'wrapped root',
      find: findKey(WRAPPED_ROOT),
      create: gcloud(
        ...['kms', 'keys', 'create', WRAPPED_ROOT, ...inRing, '--purpose=encryption'],
        // This is the longest delay that the KMS allows. Destroying the root would destroy every data key.
        ...[`--protection-level=${rootProtection}`, '--destroy-scheduled-duration=120d'],
      ),
    },
    {
      what: 'signing key for audit logs',
      find: findKey(AUDIT_SIGNING),
      create: gcloud(
        ...['kms', 'keys', 'create', AUDIT_SIGNING, ...inRing, '--purpose=asymmetric-signing'],
        ...['--default-algorithm=ec-sign-ed25519', '--protection-level=software', '--destroy-scheduled-duration=120d'],
      ),
    },
  ];
}

/**
 * Returns the steps that create the Stripe secrets, with a first version from the deployer's environment. A secret that
 * exists stays unchanged: people add later versions by hand, and the variable may hold an old value.
 */
export function createSecrets(deployment: Deployment): Step[] {
  const variables = new Set(FUNCTION_NAMES.flatMap((name) => secretsOf(deployment, name)));
  // The deployment itself makes the balancer's secret.
  variables.delete('BALANCER_SECRET');
  return [...variables].map((variable) => {
    const name = secretName(variable);
    return {
      what: `secret ${name}`,
      find: gcloud('secrets', 'list', named(name), '--format=value(name)'),
      create: gcloud('secrets', 'create', name, '--replication-policy=automatic', '--data-file=-'),
      input: variable,
    };
  });
}
