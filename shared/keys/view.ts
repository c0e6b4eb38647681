import { z } from 'zod';
import { viewInstant, viewOptionalInstant } from '../base/clock.ts';
import { tierSchema } from '../tiers.ts';
import type { Key } from './key.ts';
import { shownVersions } from './versions.ts';

const timestamp = z.iso.datetime().describe('RFC 3339, UTC, microseconds');

export const keyAnswer = z
  .object({
    id: z.uuid(),
    name: z.string(),
    tier: tierSchema,
    container_id: z.uuid(),
    state: z.enum(['active', 'pending_deletion']),
    created_at: timestamp,
    delete_requested_at: timestamp.nullable(),
    destroy_after: timestamp.nullable(),
    primary_version: z.int(),
    versions: z.array(
      z.object({ version: z.int(), state: z.enum(['enabled', 'destroy_scheduled']), created_at: timestamp }),
    ),
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
    primary_version: key.primary_version,
    versions: shownVersions(key).map(({ version, state, created_at }) => ({
      version,
      state: state === 'enabled' ? ('enabled' as const) : ('destroy_scheduled' as const),
      created_at: viewInstant(created_at),
    })),
  };
}
