import { z } from 'zod';

export const ACTIONS = [
  'encrypt',
  'decrypt',
  'wrap',
  'unwrap',
  'rewrap',
  'rotate',
  'create',
  'rename',
  'delete',
  'restore',
] as const;
export type Action = (typeof ACTIONS)[number];

export const actionSchema = z.enum(ACTIONS);

/** The recorded operations on keys, each with the action that an API key needs. `null`: not for API keys. */
export const ACTION_OF = {
  create_key: 'create',
  rename_key: 'rename',
  rotate_key: 'rotate',
  delete_key: 'delete',
  restore_key: 'restore',
  freeze_key: null,
  thaw_key: null,
  destroy_key: null,
  encrypt: 'encrypt',
  decrypt: 'decrypt',
  wrap: 'wrap',
  unwrap: 'unwrap',
  rewrap: 'rewrap',
} as const satisfies Record<string, Action | null>;

export type Operation = keyof typeof ACTION_OF;

export const OPERATIONS = Object.keys(ACTION_OF).filter(isOperation);

/** The recorded changes of a tenant that are not changes of its keys. */
export const ADMINISTRATION = [
  'create_api_key',
  'update_api_key',
  'revoke_api_key',
  'create_container',
  'rename_container',
  'delete_container',
  'create_firewall',
  'update_firewall',
  'delete_firewall',
  'invite_member',
  'revoke_invitation',
  'accept_invitation',
  'change_role',
  'remove_member',
  'rename_tenant',
] as const;
export type Administration = (typeof ADMINISTRATION)[number];

export type Recordable = Operation | Administration;
export const RECORDABLE: readonly Recordable[] = [...OPERATIONS, ...ADMINISTRATION];

export function isOperation(name: string): name is Operation {
  return Object.hasOwn(ACTION_OF, name);
}

/** Operations that use key material and count against the allowance. */
export const METERED = ['encrypt', 'decrypt', 'wrap', 'unwrap', 'rewrap'] as const satisfies readonly Operation[];
export type MeteredOperation = (typeof METERED)[number];
