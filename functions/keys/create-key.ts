import { z } from 'zod';
import { EITHER } from '../../shared/auth/caller.ts';
import { ApiError } from '../../shared/errors.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { createRoute } from '../../shared/http/pipeline.ts';
import { createKey, refuseUnpaidTier } from '../../shared/keys/create.ts';
import { TIERS, tierSchema } from '../../shared/keys/tiers.ts';
import { keyAnswer, viewKey } from '../../shared/keys/view.ts';
import { refuseName } from '../../shared/tenancy/name.ts';
import { placeIn } from '../../shared/tenancy/placement.ts';

export const createKeyRoute = createRoute({
  id: 'create_key',
  method: 'POST',
  path: '/v1/keys',
  summary: 'Create a key',
  admits: EITHER,
  action: 'create',
  operation: 'create_key',
  takes: jsonBody(z.object({ name: z.string(), tier: z.string(), container_id: z.string().nullish() })),
  refuses: [
    'invalid_name',
    'invalid_tier',
    'invalid_container',
    'billing_required',
    'key_exists',
    'free_key_exists',
    'limit_reached',
  ],
  status: 201,
  answer: keyAnswer,
  async handle({ env, request, caller, input }) {
    const origin = { requestId: request.id, caller };
    const { tenantId } = caller;
    refuseName(input.name);
    const tier = tierSchema.safeParse(input.tier);
    if (!tier.success) throw new ApiError('invalid_tier', `tier must be one of ${TIERS.join(', ')}`);
    const containerId = await placeIn(env, caller, input.container_id);
    await refuseUnpaidTier(env, tenantId, tier.data);
    return viewKey(await createKey(env, origin, { tenantId, name: input.name, tier: tier.data, containerId }));
  },
});
