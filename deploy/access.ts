import { FUNCTION_NAMES, FUNCTIONS, type Right } from './functions.ts';
import type { Actor } from './names.ts';

type Scope = 'project' | 'tenant key ring' | 'wrapped root' | 'signing key' | 'its functions' | 'its secrets';

export interface Grant {
  readonly actors: readonly Actor[];
  readonly role: CustomRole | `roles/${string}`;
  readonly on: Scope;
  readonly why: string;
}

/** Custom roles with their permissions. Each predefined role would grant too much. */
export const CUSTOM_ROLES = {
  encryptionKeyMaker: ['cloudkms.cryptoKeys.create', 'cloudkms.cryptoKeyVersions.create'],
  encryptionKeyDestroyer: [
    'cloudkms.cryptoKeys.update',
    'cloudkms.cryptoKeyVersions.destroy',
    'cloudkms.cryptoKeyVersions.get',
    'cloudkms.cryptoKeyVersions.list',
  ],
  encryptionKeyRingReader: ['cloudkms.keyRings.get'],
} as const;

type CustomRole = keyof typeof CUSTOM_ROLES;

/** All grants to service accounts. `router` has none, because it only answers errors and so needs no access. */
export const GRANTS: readonly Grant[] = [
  {
    actors: functionsWith('write documents'),
    role: 'roles/datastore.user',
    on: 'project',
    why: 'read and write documents (even `reports` writes: it records refusals in the audit log)',
  },
  {
    actors: functionsWith('check readiness'),
    role: 'roles/datastore.viewer',
    on: 'project',
    why: 'read one document for the readiness check',
  },
  {
    actors: functionsWith('check readiness'),
    role: 'encryptionKeyRingReader',
    on: 'tenant key ring',
    why: 'read the key ring for the readiness check',
  },
  {
    actors: functionsWith('make keys'),
    role: 'encryptionKeyMaker',
    on: 'tenant key ring',
    why: 'create keys and versions',
  },
  {
    actors: functionsWith('destroy keys'),
    role: 'encryptionKeyDestroyer',
    on: 'tenant key ring',
    why: 'destroy keys and versions, and clean up after interrupted key creations and rotations',
  },
  {
    actors: functionsWith('use keys'),
    role: 'roles/cloudkms.cryptoKeyEncrypterDecrypter',
    on: 'tenant key ring',
    why: 'encrypt, decrypt, wrap, unwrap and rewrap with `software` and `hsm` keys',
  },
  {
    actors: functionsWith('make keys'),
    role: 'roles/cloudkms.cryptoKeyEncrypter',
    on: 'wrapped root',
    why: 'wrap new data keys',
  },
  {
    actors: functionsWith('use keys'),
    role: 'roles/cloudkms.cryptoKeyDecrypter',
    on: 'wrapped root',
    why: 'unwrap data keys',
  },
  {
    actors: functionsWith('sign logs'),
    role: 'roles/cloudkms.signer',
    on: 'signing key',
    why: 'sign audit logs',
  },
  {
    actors: functionsWith('read the signing key'),
    role: 'roles/cloudkms.publicKeyViewer',
    on: 'signing key',
    why: 'verify each new signature (`seal-audit`), and show tenants the public key (`reports`)',
  },
  {
    actors: FUNCTION_NAMES.filter((name) => FUNCTIONS[name].caller === 'gateway' || FUNCTIONS[name].secrets.length > 0),
    role: 'roles/secretmanager.secretAccessor',
    on: 'its secrets',
    why: 'call Stripe, and verify webhooks (only `billing` can read the webhook secret); with a domain, recognize the load balancer (all functions behind the gateway)',
  },
  {
    actors: ['gateway', 'scheduler'],
    role: 'roles/run.invoker',
    on: 'its functions',
    why: 'forward requests to functions (`gateway`), and start scheduled runs (`scheduler`)',
  },
  {
    actors: ['builder'],
    role: 'roles/run.builder',
    on: 'project',
    why: 'build the functions and the image of the decision point',
  },
];

function functionsWith(right: Right): readonly Actor[] {
  return FUNCTION_NAMES.filter((name) => FUNCTIONS[name].rights.includes(right));
}
