import { z } from 'zod';
import { ApiError } from '../errors.ts';
import type { Changed } from './changed.ts';

export const ROLES = ['owner', 'admin', 'auditor'] as const;
export type Role = (typeof ROLES)[number];

export const roleSchema = z.enum(ROLES);

/** Whether the role after the change allows more than the role before. */
export function isRaised({ before, after }: Changed<Role>): boolean {
  return ROLES.indexOf(after) < ROLES.indexOf(before);
}

/** Throws `invalid_role` for an unknown role. */
export function parseRole(text: string): Role {
  const role = ROLES.find((one) => one === text);
  if (role === undefined) throw new ApiError('invalid_role', `role must be ${ROLES.join(', ')}`);
  return role;
}
