import { z } from 'zod';
import type { RequestOrigin } from '../../shared/audit/record.ts';
import { EITHER } from '../../shared/auth/admission.ts';
import { ApiError } from '../../shared/errors.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { containerField, nameField, tierField } from '../../shared/http/fields.ts';
import type { Key } from '../../shared/keys/key.ts';
import { keyAnswer, viewKey } from '../../shared/keys/view.ts';
import { createKey, refuseUnpaidTier } from '../../shared/lifecycle/create-key.ts';
import type { KeyServices } from '../../shared/lifecycle/key-services.ts';
import type { Standing } from '../../shared/metering/standing.ts';
import { refuseName } from '../../shared/tenancy/name.ts';
import { resolveContainer } from '../../shared/tenancy/placement.ts';
import { TIERS, tierSchema } from '../../shared/tiers.ts';
import { needs, TO_CHANGE_KEYS } from '../needs.ts';

/** The fields of a request to create a key, not validated yet. */
interface KeyRequest {
  readonly name: string;
  readonly tier: string;
  readonly container_id?: string | null | undefined;
}

/** The error codes that {@link createRequestedKey} can throw. */
export const CREATION_REFUSES = [
  'invalid_name',
  'invalid_tier',
  'invalid_container',
  'billing_required',
  'key_exists',
  'free_key_exists',
  'limit_reached',
] as const;

/** Checks name, tier, container and billing, in this order, then creates the key. */
export async function createRequestedKey(
  services: KeyServices & { readonly standing: Standing },
  origin: RequestOrigin,
  requested: KeyRequest,
): Promise<Key> {
  const { caller } = origin;
  refuseName(requested.name);
  const tier = tierSchema.safeParse(requested.tier);
  if (!tier.success) throw new ApiError('invalid_tier', `tier must be one of ${TIERS.join(', ')}`);
  const containerId = await resolveContainer(services.store, caller, requested.container_id);
  await refuseUnpaidTier(services, caller.tenantId, tier.data);
  const wanted = { tenantId: caller.tenantId, name: requested.name, tier: tier.data, containerId };
  return createKey(services, origin, wanted);
}

/** Answers 201 once the first version is enabled, so that the key can be used at once. */
export const createKeyRoute = needs(...TO_CHANGE_KEYS, 'standing').creationRoute({
  id: 'create_key',
  operation: 'create_key',
  method: 'POST',
  path: '/v1/keys',
  summary: 'Create a key',
  description:
    'Creates a key with its first version. If billing is configured, a paid tier requires billing in good standing, and a tenant can have only one `free` key.',
  tag: 'Keys',
  admits: EITHER,
  takes: jsonBody(z.object({ name: nameField, tier: tierField, container_id: containerField })),
  refuses: CREATION_REFUSES,
  status: 201,
  answer: keyAnswer,
  async handle(services, { origin, input }) {
    return viewKey(await createRequestedKey(services, origin, input));
  },
});
