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

/** The recorded operations and the API-key action that each requires; `null` when only the console may perform it. */
export const ACTION_OF = {
  create_key: 'create',
  rename_key: 'rename',
  rotate_key: 'rotate',
  delete_key: 'delete',
  restore_key: 'restore',
  destroy_key: null,
  encrypt: 'encrypt',
  decrypt: 'decrypt',
  wrap: 'wrap',
  unwrap: 'unwrap',
  rewrap: 'rewrap',
} as const satisfies Record<string, Action | null>;

/** The name of an operation in the audit log, and its `operationId` in the OpenAPI document. */
export type Operation = keyof typeof ACTION_OF;

export const OPERATIONS = Object.keys(ACTION_OF).filter(isOperation);

export function isOperation(name: string): name is Operation {
  return Object.hasOwn(ACTION_OF, name);
}

/** The operations that use key material and count against the key's allowance. */
export type MeteredOperation = Extract<Operation, 'encrypt' | 'decrypt' | 'wrap' | 'unwrap' | 'rewrap'>;
