export const TAGS = {
  Keys: 'Create, rename, rotate, delete, restore and destroy keys.',
  Cryptography: 'Encrypt and decrypt values, and wrap and unwrap data keys.',
  'Audit and usage': "Read a tenant's audit log and usage.",
  Members: 'Manage the members of a tenant and their roles, and invite people.',
  Account: 'Sign in, and see who is signed in.',
  'API keys': 'Manage the credentials of programs.',
  Containers: 'Manage containers, which group keys. An API key can use only the keys in its container.',
  Firewalls: 'Manage the networks that API keys may be used from.',
  Billing: 'Set up payment, and read the billing standing and statements.',
  Transit: "Use keys from programs that speak to Vault's Transit engine.",
  Health: 'Check the service, and read this document.',
} as const;

export type Tag = keyof typeof TAGS;
