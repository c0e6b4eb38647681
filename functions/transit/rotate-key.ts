import { z } from 'zod';
import { API_KEY } from '../../shared/auth/admission.ts';
import { ApiError } from '../../shared/errors.ts';
import type { Key } from '../../shared/keys/key.ts';
import { rotateKey } from '../../shared/lifecycle/rotate-key.ts';
import { TIER } from '../../shared/tiers.ts';
import { needs, TO_CHANGE_KEYS } from '../needs.ts';
import { transitBody } from './body.ts';
import { VAULT } from './dialect.ts';
import { envelope } from './envelope.ts';
import { keyAnswer, viewKey } from './key-answer.ts';
import { byName } from './key-names.ts';

export const rotateKeyRoute = needs(...TO_CHANGE_KEYS).keyRoute({
  id: 'transit_rotate_key',
  operation: 'rotate_key',
  dialect: VAULT,
  method: 'POST',
  path: '/v1/transit/keys/{name}/rotate',
  summary: 'Transit: rotate a software or hsm key',
  description:
    'Adds a version to a `software` or `hsm` key; that version encrypts from now on. Keys of other tiers are refused, because a rotation would make all their ciphertext unreadable.',
  tag: 'Transit',
  admits: API_KEY,
  lookup: byName,
  takes: transitBody(z.object({})),
  refuses: ['key_pending_deletion', 'key_frozen'],
  status: 200,
  answer: keyAnswer,
  async handle(services, { origin, key, input }) {
    refuseLoss(key);
    return envelope(origin.requestId, viewKey(await rotateKey(services, origin, key)), input.warnings);
  },
});

/** Refuses a rotation after which old ciphertext cannot be decrypted. In Vault, rotation never has this effect. */
function refuseLoss({ tier, id }: Key): void {
  if (TIER[tier].retainedVersions > 1) return;
  const why = `a ${tier} key keeps only one version, so rotating it would make all its ciphertext unreadable`;
  throw new ApiError('invalid_request', `${why}; to rotate it anyway, call POST /v1/keys/${id}/rotate`);
}
