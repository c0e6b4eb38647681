import { z } from 'zod';
import { type ContainerId, idSchema, type KeyId, type TenantId } from '../shared/base/ids.ts';

const overview = z.object({
  demo: z.object({
    tenant_id: idSchema<TenantId>(),
    container_id: idSchema<ContainerId>(),
    key_id: idSchema<KeyId>(),
    api_key: z.string(),
    subject: z.string(),
  }),
});

/** The tenant that a stack starts with, as its control API tells. */
export async function demoOf({
  controlUrl,
}: {
  readonly controlUrl: string;
}): Promise<z.output<typeof overview>['demo']> {
  return overview.parse(await (await fetch(`${controlUrl}/`)).json()).demo;
}
