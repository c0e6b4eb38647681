import { z } from 'zod';
import { secretsOf } from '../../environment.ts';
import { FUNCTION_NAMES } from '../../functions.ts';
import {
  AUDIT_SIGNING,
  BALANCER_SECRET_NAME,
  ROOT_RING,
  SMOKE_KEY,
  secretName,
  TENANTS_RING,
  WRAPPED_ROOT,
} from '../../names.ts';
import { gcloud } from '../../step.ts';
import { OUR_SECRETS } from '../bindings.ts';
import { type Comparison, type Context, lastPart, resource } from '../resource.ts';

const named = z.array(z.object({ name: z.string() }));
const keys = z.array(
  z.object({
    name: z.string(),
    purpose: z.string(),
    destroyScheduledDuration: z.string().optional(),
    rotationPeriod: z.string().optional(),
    versionTemplate: z.object({ algorithm: z.string(), protectionLevel: z.string() }),
  }),
);
const versions = z.array(z.object({ name: z.string(), state: z.string() }));
const secrets = z.array(z.object({ name: z.string(), replication: z.record(z.string(), z.unknown()).optional() }));

const WHAT: Readonly<Record<string, string>> = {
  [WRAPPED_ROOT]: 'wrapped root',
  [AUDIT_SIGNING]: 'signing key for audit logs',
};
/** The names of secrets that a deployment makes itself. */
const SPECIAL: Readonly<Record<string, string>> = {
  [SMOKE_KEY]: 'canary tenant for the smoke test',
  [BALANCER_SECRET_NAME]: 'secret of the balancer',
};
const DELAY = `${120 * 24 * 60 * 60}s`;

/** The key rings, and the keys in the root's ring with the states of their versions. */
export function compareKeys({ deployment: { region, rootProtection }, ask, isEnabled }: Context): Comparison {
  const at = `--location=${region}`;
  const rings = isEnabled('cloudkms')
    ? ask(gcloud('kms', 'keyrings', 'list', at), named).map(({ name }) => lastPart(name))
    : [];
  const inRing = [`--keyring=${ROOT_RING}`, at];
  const rootKeys = rings.includes(ROOT_RING) ? ask(gcloud('kms', 'keys', 'list', ...inRing), keys) : [];
  const unusable = (key: string) =>
    ask(gcloud('kms', 'keys', 'versions', 'list', `--key=${key}`, ...inRing), versions)
      .filter(({ state }) => state !== 'ENABLED')
      .map(({ name, state }) => `${lastPart(name)} ${state}`)
      .join(', ');
  const expectKey = (key: string, purpose: string, algorithm: string, protectionLevel: string) =>
    resource(WHAT[key] ?? key, {
      purpose,
      algorithm,
      protectionLevel,
      destroyScheduledDuration: DELAY,
      rotationPeriod: '',
      unusable: '',
    });
  return {
    expected: [
      ...[TENANTS_RING, ROOT_RING].map((ring) => resource(`key ring ${ring}`)),
      expectKey(WRAPPED_ROOT, 'ENCRYPT_DECRYPT', 'GOOGLE_SYMMETRIC_ENCRYPTION', rootProtection.toUpperCase()),
      expectKey(AUDIT_SIGNING, 'ASYMMETRIC_SIGN', 'EC_SIGN_ED25519', 'SOFTWARE'),
    ],
    found: [
      ...rings.filter((ring) => ring.startsWith('encryption-')).map((ring) => resource(`key ring ${ring}`)),
      ...rootKeys.map(({ name, purpose, destroyScheduledDuration, rotationPeriod, versionTemplate }) =>
        resource(WHAT[lastPart(name)] ?? `key ${lastPart(name)} in ${ROOT_RING}`, {
          ...versionTemplate,
          ...{ purpose, destroyScheduledDuration, rotationPeriod, unusable: unusable(lastPart(name)) },
        }),
      ),
    ],
  };
}

export function compareSecrets({ deployment, ask, isEnabled }: Context): Comparison {
  const wanted = new Set(FUNCTION_NAMES.flatMap((name) => secretsOf(deployment, name)).map(secretName));
  const what = (name: string) => SPECIAL[name] ?? `secret ${name}`;
  const enabledVersions = (name: string) =>
    ask(gcloud('secrets', 'versions', 'list', name), versions).some(({ state }) => state === 'ENABLED');
  const found = (isEnabled('secretmanager') ? ask(gcloud('secrets', 'list'), secrets) : [])
    .map(({ name, replication }) => ({ name: lastPart(name), replication }))
    .filter(({ name }) => OUR_SECRETS.includes(name));
  return {
    expected: [...wanted, SMOKE_KEY].map((name) =>
      resource(what(name), { replication: 'automatic', hasVersion: true }),
    ),
    found: found.map(({ name, replication = {} }) =>
      resource(what(name), { replication: Object.keys(replication).join(), hasVersion: enabledVersions(name) }),
    ),
  };
}
