import type { Actor } from './names.ts';

/** The resources that a role can be granted on. */
export type Scope = 'project' | 'key ring of tenants' | 'wrapped root' | 'signing key' | 'its callees' | 'its secrets';

/** A role that actors have on a resource, and why. */
export interface Grant {
  readonly actors: readonly Actor[];
  readonly role: CustomRole | `roles/${string}`;
  readonly on: Scope;
  readonly why: string;
}

/** The project's custom roles with their permissions, for what predefined roles would grant more than is needed. */
export const CUSTOM_ROLES = {
  encryptionKeyMaker: [
    'cloudkms.cryptoKeys.create',
    'cloudkms.cryptoKeyVersions.create',
    'cloudkms.cryptoKeyVersions.destroy',
    'cloudkms.cryptoKeyVersions.get',
    'cloudkms.cryptoKeyVersions.list',
  ],
  encryptionKeyDestroyer: [
    'cloudkms.cryptoKeyVersions.destroy',
    'cloudkms.cryptoKeyVersions.get',
    'cloudkms.cryptoKeyVersions.list',
  ],
  encryptionKeyRingReader: ['cloudkms.keyRings.get'],
} as const;

/** The name of a custom role. */
export type CustomRole = keyof typeof CUSTOM_ROLES;

/**
 * Every grant of a deployment. `router` has none: it answers only 404 and 405, which needs no access.
 */
export const GRANTS: readonly Grant[] = [
  {
    actors: [
      'keys',
      'crypto',
      'reports',
      'console',
      'billing',
      'transit',
      'destroy-due-keys',
      'close-month',
      'seal-audit',
    ],
    role: 'roles/datastore.user',
    on: 'project',
    why: 'reads and writes documents; `reports` writes refusals to the audit log',
  },
  { actors: ['health'], role: 'roles/datastore.viewer', on: 'project', why: 'readiness reads one document' },
  { actors: ['health'], role: 'encryptionKeyRingReader', on: 'key ring of tenants', why: 'readiness reads the ring' },
  {
    actors: ['keys', 'transit'],
    role: 'encryptionKeyMaker',
    on: 'key ring of tenants',
    why: 'creates, rotates, destroys keys',
  },
  {
    actors: ['destroy-due-keys'],
    role: 'encryptionKeyDestroyer',
    on: 'key ring of tenants',
    why: 'destroys keys that are due, clears what was cut off',
  },
  {
    actors: ['crypto', 'transit'],
    role: 'roles/cloudkms.cryptoKeyEncrypterDecrypter',
    on: 'key ring of tenants',
    why: 'the five operations on `software` and `hsm` keys',
  },
  {
    actors: ['keys', 'transit'],
    role: 'roles/cloudkms.cryptoKeyEncrypter',
    on: 'wrapped root',
    why: 'wraps new data keys',
  },
  {
    actors: ['crypto', 'transit'],
    role: 'roles/cloudkms.cryptoKeyDecrypter',
    on: 'wrapped root',
    why: 'unwraps data keys',
  },
  {
    actors: ['seal-audit'],
    role: 'roles/cloudkms.signer',
    on: 'signing key',
    why: 'signs the audit logs: nobody else can',
  },
  {
    actors: ['seal-audit', 'reports'],
    role: 'roles/cloudkms.publicKeyViewer',
    on: 'signing key',
    why: 'verifies what it signed; shows tenants the key to verify with',
  },
  {
    actors: ['billing', 'close-month'],
    role: 'roles/secretmanager.secretAccessor',
    on: 'its secrets',
    why: 'speaks to Stripe; only `billing` has the secret of webhooks',
  },
  {
    actors: ['gateway', 'scheduler'],
    role: 'roles/run.invoker',
    on: 'its callees',
    why: 'nobody else may call a function, and nobody without an identity',
  },
  { actors: ['builder'], role: 'roles/run.builder', on: 'project', why: 'builds functions and the decision point' },
];
