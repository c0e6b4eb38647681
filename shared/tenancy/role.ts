import { z } from 'zod';
import { ApiError } from '../errors.ts';
import type { Changed } from './changed.ts';

/** The roles of a tenant's members, the most powerful first. `policies/` says what each may do. */
export const ROLES = ['owner', 'admin', 'auditor'] as const;
export type Role = (typeof ROLES)[number];

export const roleSchema = z.enum(ROLES);

/** Whether a role may do more than another. */
export function isRaised({ before, after }: Changed<Role>): boolean {
  return ROLES.indexOf(after) < ROLES.indexOf(before);
}

/** Parses a role. Throws `invalid_role`. */
export function parseRole(text: string): Role {
  const role = ROLES.find((one) => one === text);
  if (role === undefined) throw new ApiError('invalid_role', `role must be ${ROLES.join(', ')}`);
  return role;
}
