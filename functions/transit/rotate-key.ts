import { z } from 'zod';
import { API_KEY } from '../../shared/auth/admission.ts';
import { ApiError } from '../../shared/errors.ts';
import { byName, type NamingNeeds } from '../../shared/http/key-finder.ts';
import { operationRoute } from '../../shared/http/pipeline.ts';
import type { Key } from '../../shared/keys/key.ts';
import { type RotationNeeds, rotateKey } from '../../shared/lifecycle/rotate-key.ts';
import { TIER } from '../../shared/tiers.ts';
import { transitBody } from './body.ts';
import { VAULT } from './dialect.ts';
import { envelope } from './envelope.ts';
import { keyAnswer, viewKey } from './key-answer.ts';

export const rotateKeyRoute = operationRoute({
  id: 'transit_rotate_key',
  operation: 'rotate_key',
  dialect: VAULT,
  method: 'POST',
  path: '/v1/transit/keys/{name}/rotate',
  summary: 'Transit: make a new primary version of a key that retains the one before',
  admits: API_KEY,
  findsKey: byName,
  takes: transitBody(z.object({})),
  refuses: ['key_pending_deletion'],
  status: 200,
  answer: keyAnswer,
  async handle(needs: RotationNeeds & NamingNeeds, { origin, key }) {
    refuseLoss(key);
    return envelope(origin.requestId, viewKey(await rotateKey(needs, origin, key)));
  },
});

/** Whoever rotates a key at Vault expects that it opens what was made before: here that is not so of every tier. */
function refuseLoss({ tier, id }: Key): void {
  if (TIER[tier].retainedVersions > 1) return;
  const why = `a ${tier} key retains one version, so that rotating it would make all its ciphertext unreadable`;
  throw new ApiError('invalid_request', `${why}; where that is meant, call POST /v1/keys/${id}/rotate`);
}
