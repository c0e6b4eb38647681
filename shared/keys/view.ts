import { z } from 'zod';
import { viewInstant, viewOptionalInstant } from '../base/clock.ts';
import { tierSchema } from '../tiers.ts';
import type { Key } from './key.ts';
import { shownVersions } from './versions.ts';

const timestamp = z.iso.datetime();

export const keyAnswer = z
  .object({
    id: z.uuid().describe('The ID of the key.'),
    name: z.string().describe('The name of the key, unique in its container.'),
    tier: tierSchema.describe('The tier of the key. It never changes.'),
    container_id: z.uuid().describe('The container of the key. It never changes.'),
    state: z.enum(['active', 'pending_deletion']).describe('Whether the key is scheduled for destruction.'),
    created_at: timestamp.describe('When the key was created.'),
    delete_requested_at: timestamp.nullable().describe('When the deletion was requested; `null` for an active key.'),
    destroy_after: timestamp.nullable().describe('When the key will be destroyed; `null` for an active key.'),
    frozen_at: timestamp
      .nullable()
      .describe('When the key was frozen. A frozen key cannot be used or rotated. `null` if it is not frozen.'),
    primary_version: z.int().describe('The version that encrypts.'),
    versions: z
      .array(
        z.object({
          version: z.int().describe('The number of the version. The first is 1.'),
          state: z.enum(['enabled', 'destroy_scheduled']).describe('Only an enabled version can decrypt.'),
          created_at: timestamp.describe('When the version was created.'),
        }),
      )
      .describe('The versions of the key, oldest first.'),
  })
  .meta({ id: 'Key' });

export function viewKey(key: Key): z.input<typeof keyAnswer> {
  return {
    id: key.id,
    name: key.name,
    tier: key.tier,
    container_id: key.container_id,
    state: key.state === 'pending_deletion' ? 'pending_deletion' : 'active',
    created_at: viewInstant(key.created_at),
    delete_requested_at: viewOptionalInstant(key.delete_requested_at),
    destroy_after: viewOptionalInstant(key.destroy_after),
    frozen_at: viewOptionalInstant(key.frozen_at),
    primary_version: key.primary_version,
    versions: shownVersions(key).map(({ version, state, created_at }) => ({
      version,
      state: state === 'enabled' ? ('enabled' as const) : ('destroy_scheduled' as const),
      created_at: viewInstant(created_at),
    })),
  };
}
