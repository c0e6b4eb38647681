import { z } from 'zod';
import { type RequestOrigin, recordingFailure } from '../../shared/audit/record.ts';
import { EITHER } from '../../shared/auth/admission.ts';
import { refuseForbidden } from '../../shared/auth/authorize.ts';
import { ApiError } from '../../shared/errors.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { route } from '../../shared/http/pipeline.ts';
import type { OperationNeeds } from '../../shared/http/specs.ts';
import { refuseKeyList } from '../../shared/keys/guards.ts';
import type { Key } from '../../shared/keys/key.ts';
import { keyAnswer, viewKey } from '../../shared/keys/view.ts';
import { createKey, refuseUnpaidTier } from '../../shared/lifecycle/create-key.ts';
import type { NewKeyNeeds } from '../../shared/lifecycle/needs.ts';
import type { Standing } from '../../shared/metering/standing.ts';
import { refuseName } from '../../shared/tenancy/name.ts';
import { placeIn } from '../../shared/tenancy/placement.ts';
import { TIERS, tierSchema } from '../../shared/tiers.ts';

/** What it takes to check the creation of a key, and to make it. */
export type CreateKeyNeeds = OperationNeeds & NewKeyNeeds & { readonly standing: Standing };

/** What a new key is asked to be. */
interface Asked {
  readonly name: string;
  readonly tier: string;
  readonly container_id?: string | null | undefined;
}

/** The codes that {@link createAsked} refuses with. */
export const CREATION_REFUSES = [
  'key_not_allowed',
  'invalid_name',
  'invalid_tier',
  'invalid_container',
  'billing_required',
  'key_exists',
  'free_key_exists',
  'limit_reached',
] as const;

/** The steps of a creation after its body, each attempt recorded: key list, action, name, tier, container, billing, then the key. */
export function createAsked(needs: CreateKeyNeeds, origin: RequestOrigin, asked: Asked): Promise<Key> {
  const { caller } = origin;
  return recordingFailure(needs, origin, 'create_key', null, async () => {
    refuseKeyList(caller);
    await refuseForbidden(needs.policy, caller, 'create', { keyId: 'new', tier: null });
    refuseName(asked.name);
    const tier = tierSchema.safeParse(asked.tier);
    if (!tier.success) throw new ApiError('invalid_tier', `tier must be one of ${TIERS.join(', ')}`);
    const containerId = await placeIn(needs.store, caller, asked.container_id);
    await refuseUnpaidTier(needs.standing, caller.tenantId, tier.data);
    const wanted = { tenantId: caller.tenantId, name: asked.name, tier: tier.data, containerId };
    return createKey(needs, origin, wanted);
  });
}

/** The one operation whose body comes before what the API key may do: there is no key yet that it could be about. */
export const createKeyRoute = route({
  id: 'create_key',
  operation: 'create_key',
  method: 'POST',
  path: '/v1/keys',
  summary: 'Create a key',
  admits: EITHER,
  takes: jsonBody(z.object({ name: z.string(), tier: z.string(), container_id: z.string().nullish() })),
  refuses: CREATION_REFUSES,
  status: 201,
  answer: keyAnswer,
  async handle(needs: CreateKeyNeeds, { origin, input }) {
    return viewKey(await createAsked(needs, origin, input));
  },
});
