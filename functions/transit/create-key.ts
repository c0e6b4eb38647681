import { z } from 'zod';
import { API_KEY } from '../../shared/auth/admission.ts';
import { ApiError } from '../../shared/errors.ts';
import { tierText } from '../../shared/http/fields.ts';
import type { Key } from '../../shared/keys/key.ts';
import { CREATION_REFUSES, createRequestedKey } from '../keys/create-key.ts';
import { needs, TO_CHANGE_KEYS } from '../needs.ts';
import { namesKeyType, transitBody } from './body.ts';
import { VAULT } from './dialect.ts';
import { envelope } from './envelope.ts';
import { KEY_TYPE, keyAnswer, viewKey } from './key-answer.ts';
import { findByName } from './key-names.ts';

/** `invalid_container` cannot occur, because a Transit request cannot name a container. */
const refuses = CREATION_REFUSES.filter((code) => code !== 'invalid_container');

export const createKeyRoute = needs(...TO_CHANGE_KEYS, 'standing').creationRoute({
  id: 'transit_create_key',
  operation: 'create_key',
  dialect: VAULT,
  method: 'POST',
  path: '/v1/transit/keys/{name}',
  summary: 'Transit: create a key',
  description:
    'Creates a key in the container of the API key. If billing is configured, a paid tier requires billing in good standing. If an active key of the same tier has the name, nothing changes and the answer has a warning.',
  tag: 'Transit',
  admits: API_KEY,
  takes: transitBody(
    z.object({
      tier: tierText
        .meta({ examples: ['software'] })
        .nullish()
        .describe('The tier of the key. The default is `software`.'),
      type: z
        .string()
        .meta({ enum: [KEY_TYPE] })
        .nullish()
        .describe('May name the only type of keys.'),
    }),
    { type: 'every key is AES-256-GCM; choose a tier instead' },
    namesKeyType,
  ),
  refuses,
  status: 200,
  answer: keyAnswer,
  async handle(services, { origin, input, pathName }) {
    const { fields, warnings } = input;
    const { caller } = origin;
    const findEqual = async () => {
      const key = caller.kind === 'api_key' ? await findByName(services.store, caller, pathName) : undefined;
      return key?.state === 'active' && (fields.tier ?? key.tier) === key.tier ? key : undefined;
    };
    const viewExisting = (key: Key) =>
      envelope(origin.requestId, viewKey(key), [`key ${pathName} already existed`, ...(warnings ?? [])]);
    const existing = await findEqual();
    if (existing !== undefined) return viewExisting(existing);
    try {
      const key = await createRequestedKey(services, origin, { name: pathName, tier: fields.tier ?? 'software' });
      return envelope(origin.requestId, viewKey(key), warnings);
    } catch (error) {
      // Another request may have created the key while this one waited.
      const created = error instanceof ApiError && error.code === 'key_exists' ? await findEqual() : undefined;
      if (created === undefined) throw error;
      return viewExisting(created);
    }
  },
});
