import { z } from 'zod';
import { API_KEY } from '../../shared/auth/admission.ts';
import { route } from '../../shared/http/pipeline.ts';
import { CREATION_REFUSES, type CreateKeyNeeds, createAsked } from '../keys/create-key.ts';
import { transitBody } from './body.ts';
import { VAULT } from './dialect.ts';
import { envelope } from './envelope.ts';
import { keyAnswer, viewKey } from './key-answer.ts';

/** It names no container, so that it cannot name a wrong one. */
const refuses = CREATION_REFUSES.filter((code) => code !== 'invalid_container');

export const createKeyRoute = route({
  id: 'transit_create_key',
  operation: 'create_key',
  dialect: VAULT,
  method: 'POST',
  path: '/v1/transit/keys/{name}',
  summary: 'Transit: create a key; of Vault’s types there is one, so that a tier is chosen instead',
  admits: API_KEY,
  takes: transitBody(z.object({ tier: z.string().nullish().describe('software where it is absent') })),
  refuses,
  status: 200,
  answer: keyAnswer,
  async handle(needs: CreateKeyNeeds, { origin, input, pathName }) {
    const key = await createAsked(needs, origin, { name: pathName, tier: input.tier ?? 'software' });
    return envelope(origin.requestId, viewKey(key));
  },
});
