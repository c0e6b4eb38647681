import { z } from 'zod';
import { CONSOLE } from '../../shared/auth/admission.ts';
import { viewInstant } from '../../shared/base/clock.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { nameField } from '../../shared/http/fields.ts';
import { TENANT } from '../../shared/http/target.ts';
import { refuseName } from '../../shared/tenancy/name.ts';
import { renameTenant } from '../../shared/tenancy/tenants.ts';
import { needs } from '../needs.ts';
import { tenantAnswer } from './me.ts';

export const renameTenantRoute = needs('store').changeRoute({
  id: 'rename_tenant',
  operation: 'rename_tenant',
  method: 'PATCH',
  path: '/v1/tenant',
  summary: 'Name the tenant',
  description: 'Sets the name that members and invited people see. `null` removes it.',
  tag: 'Members',
  admits: CONSOLE,
  takes: jsonBody(
    z.object({
      name: nameField
        .meta({ examples: ['Acme'] })
        .nullable()
        .describe('The new name, or `null` to remove it.'),
    }),
  ),
  refuses: ['invalid_name'],
  target: TENANT,
  status: 200,
  answer: tenantAnswer,
  async handle({ store }, { caller, input, record }) {
    if (input.name !== null) refuseName(input.name);
    const { id, name, created_at } = await renameTenant(store, caller.tenantId, input.name, record);
    return { id, name, created_at: viewInstant(created_at) };
  },
});
