import { z } from 'zod';

/** The ten actions that an API key may be given. Each is the one that the same-named route needs. */
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
