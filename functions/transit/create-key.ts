import { z } from 'zod';
import { API_KEY } from '../../shared/auth/admission.ts';
import { tierText } from '../../shared/http/fields.ts';
import { creationRoute } from '../../shared/http/pipeline.ts';
import type { KeyServices, Services } from '../../shared/services.ts';
import { CREATION_REFUSES, createRequestedKey } from '../keys/create-key.ts';
import { transitBody } from './body.ts';
import { VAULT } from './dialect.ts';
import { envelope } from './envelope.ts';
import { keyAnswer, viewKey } from './key-answer.ts';

/** `invalid_container` cannot occur, because a Transit request cannot name a container. */
const refuses = CREATION_REFUSES.filter((code) => code !== 'invalid_container');

export const createKeyRoute = creationRoute({
  id: 'transit_create_key',
  operation: 'create_key',
  dialect: VAULT,
  method: 'POST',
  path: '/v1/transit/keys/{name}',
  summary: 'Transit: create a key',
  description:
    'Creates a key in the container of the API key. If billing is configured, a paid tier requires billing in good standing.',
  tag: 'Transit',
  admits: API_KEY,
  takes: transitBody(
    z.object({
      tier: tierText
        .meta({ examples: ['software'] })
        .nullish()
        .describe('The tier of the key. The default is `software`.'),
    }),
  ),
  refuses,
  status: 200,
  answer: keyAnswer,
  async handle(services: KeyServices & Pick<Services, 'standing'>, { origin, input, pathName }) {
    const key = await createRequestedKey(services, origin, { name: pathName, tier: input.tier ?? 'software' });
    return envelope(origin.requestId, viewKey(key));
  },
});
