import { z } from 'zod';
import { type Key, primaryVersion } from '../../shared/keys/key.ts';
import { tierSchema } from '../../shared/tiers.ts';
import { envelopeOf, namedAnswer } from './envelope.ts';

/** Transit's name for AES-256-GCM. */
export const KEY_TYPE = 'aes256-gcm96';

/** Fields that are the same for every key, because the service has one kind of key. */
const ALWAYS = {
  type: KEY_TYPE,
  min_available_version: 0,
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
} as const;

const data = z.object({
  name: z.string().describe('The name of the key.'),
  type: z.literal(KEY_TYPE).describe("Vault's name for AES-256-GCM."),
  keys: z
    .record(z.string(), z.int())
    .describe('Creation time of each enabled version in Unix seconds, by version number.'),
  latest_version: z.int().describe('The version that encrypts.'),
  min_available_version: z.literal(0).describe('Always 0.'),
  min_decryption_version: z.int().describe('The oldest enabled version.'),
  min_encryption_version: z.literal(0).describe('Always 0. Only the newest version encrypts.'),
  supports_encryption: z.literal(true).describe('Always `true`.'),
  supports_decryption: z.literal(true).describe('Always `true`.'),
  supports_derivation: z.literal(false).describe('Always `false`.'),
  supports_signing: z.literal(false).describe('Always `false`.'),
  derived: z.literal(false).describe('Always `false`. Keys are never derived.'),
  exportable: z.literal(false).describe('Always `false`. Keys cannot be exported.'),
  allow_plaintext_backup: z.literal(false).describe('Always `false`. Keys cannot be exported.'),
  deletion_allowed: z.literal(false).describe('Always `false`. Delete keys with `DELETE /v1/keys/{id}`.'),
  auto_rotate_period: z.literal(0).describe('Always 0. Keys are rotated only on request.'),
  imported_key: z.literal(false).describe('Always `false`. Keys cannot be imported.'),
  id: z.uuid().describe('The ID of the key in `/v1/keys/{id}`.'),
  tier: tierSchema.describe('The tier of the key.'),
  state: z.enum(['active', 'pending_deletion']).describe('Whether the key is scheduled for destruction.'),
});

/** The answer about a key. */
export const keyAnswer = namedAnswer('Transit_key', envelopeOf(data), {
  name: 'orders',
  ...ALWAYS,
  keys: { 1: 1_790_842_530, 2: 1_795_512_600 },
  latest_version: 2,
  min_decryption_version: 1,
  id: '0f8c9a52-5a0e-4a51-9d5e-0c1f6f2f7a10',
  tier: 'software',
  state: 'active',
});

/** Returns a live key in Transit's format, with additional fields of this service. */
export function viewKey(key: Key): z.output<typeof data> {
  const enabled = key.versions.filter(({ state }) => state === 'enabled');
  return {
    name: key.name,
    ...ALWAYS,
    keys: Object.fromEntries(enabled.map(({ version, created_at }) => [version, Math.floor(created_at / 1_000_000)])),
    latest_version: key.primary_version,
    min_decryption_version: enabled[0]?.version ?? primaryVersion(key).version,
    id: key.id,
    tier: key.tier,
    state: key.state === 'pending_deletion' ? 'pending_deletion' : 'active',
  };
}
