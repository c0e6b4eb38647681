import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { roleSchema } from '../../shared/tenancy/role.ts';

const policy = z.object({
  resourcePolicy: z.object({
    rules: z.array(z.object({ actions: z.array(z.string()), roles: z.array(roleSchema) })),
  }),
});

/** Returns the rules of the policy for members: which roles may call which operations. */
export function memberRules() {
  const file = join(import.meta.dirname, '../../policies/resource_policies/tenant.yaml');
  return policy.parse(parse(readFileSync(file, 'utf8'))).resourcePolicy.rules;
}
