import type { Actor } from './names.ts';

/** What a right is on. */
export type Scope = 'project' | 'key ring of tenants' | 'wrapped root' | 'its callees' | 'its secrets';

/** A right of one actor, and why it has it. */
export interface Grant {
  readonly actors: readonly Actor[];
  readonly role: CustomRole | `roles/${string}`;
  readonly on: Scope;
  readonly why: string;
}

/** Roles made in the project, because the predefined ones allow more. */
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
 * Who may do what, whole: an actor that has no line has no right. `router` has none, because what reaches it is no route:
 * it answers 404 and 405 alone.
 */
export const GRANTS: readonly Grant[] = [
  {
    actors: ['keys', 'crypto', 'reports', 'console', 'billing', 'destroy-due-keys', 'close-month'],
    role: 'roles/datastore.user',
    on: 'project',
    why: 'reads and writes documents; `reports` writes refusals to the audit log',
  },
  { actors: ['health'], role: 'roles/datastore.viewer', on: 'project', why: 'readiness reads one document' },
  { actors: ['health'], role: 'encryptionKeyRingReader', on: 'key ring of tenants', why: 'readiness reads the ring' },
  { actors: ['keys'], role: 'encryptionKeyMaker', on: 'key ring of tenants', why: 'creates, rotates, destroys keys' },
  {
    actors: ['destroy-due-keys'],
    role: 'encryptionKeyDestroyer',
    on: 'key ring of tenants',
    why: 'destroys keys that are due, clears what was cut off',
  },
  {
    actors: ['crypto'],
    role: 'roles/cloudkms.cryptoKeyEncrypterDecrypter',
    on: 'key ring of tenants',
    why: 'the five operations on `software` and `hsm` keys',
  },
  { actors: ['keys'], role: 'roles/cloudkms.cryptoKeyEncrypter', on: 'wrapped root', why: 'wraps new data keys' },
  { actors: ['crypto'], role: 'roles/cloudkms.cryptoKeyDecrypter', on: 'wrapped root', why: 'unwraps data keys' },
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
