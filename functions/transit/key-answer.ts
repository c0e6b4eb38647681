import { z } from 'zod';
import { type Key, primaryVersion } from '../../shared/keys/key.ts';
import { tierSchema } from '../../shared/tiers.ts';
import { envelopeOf } from './envelope.ts';

const data = z.object({
  name: z.string(),
  type: z.literal('aes256-gcm96'),
  keys: z
    .record(z.string(), z.int())
    .describe('when each enabled version was made, in seconds since 1970, by its number'),
  latest_version: z.int(),
  min_available_version: z.literal(0),
  min_decryption_version: z.int(),
  min_encryption_version: z.literal(0),
  supports_encryption: z.literal(true),
  supports_decryption: z.literal(true),
  supports_derivation: z.literal(false),
  supports_signing: z.literal(false),
  derived: z.literal(false),
  exportable: z.literal(false),
  allow_plaintext_backup: z.literal(false),
  deletion_allowed: z.literal(false),
  auto_rotate_period: z.literal(0),
  imported_key: z.literal(false),
  id: z.uuid().describe('its id in the other routes'),
  tier: tierSchema,
  state: z.enum(['active', 'pending_deletion']),
});

/** The schema of the answer about a key. */
export const keyAnswer = envelopeOf(data).meta({ id: 'Transit_key' });

/** A live key as Transit describes one, with what this service says of it besides. */
export function viewKey(key: Key): z.output<typeof data> {
  const enabled = key.versions.filter(({ state }) => state === 'enabled');
  return {
    name: key.name,
    type: 'aes256-gcm96',
    keys: Object.fromEntries(enabled.map(({ version, created_at }) => [version, Math.floor(created_at / 1_000_000)])),
    latest_version: key.primary_version,
    min_available_version: 0,
    min_decryption_version: enabled[0]?.version ?? primaryVersion(key).version,
    min_encryption_version: 0,
    supports_encryption: true,
    supports_decryption: true,
    supports_derivation: false,
    supports_signing: false,
    derived: false,
    exportable: false,
    allow_plaintext_backup: false,
    deletion_allowed: false,
    auto_rotate_period: 0,
    imported_key: false,
    id: key.id,
    tier: key.tier,
    state: key.state === 'pending_deletion' ? 'pending_deletion' : 'active',
  };
}
