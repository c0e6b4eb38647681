import { z } from 'zod';
import { EITHER } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { listKeys } from '../../shared/keys/list.ts';
import { keyAnswer, viewKey } from '../../shared/keys/view.ts';
import { needs } from '../needs.ts';

/** Returns all keys in one answer. A tenant can have at most 10,000 live keys. */
export const listKeysRoute = needs('store').route({
  id: 'list_keys',
  method: 'GET',
  path: '/v1/keys',
  summary: 'List keys',
  description:
    'Returns all live keys that the caller can see. Keys pending deletion are included; destroyed keys are not.',
  tag: 'Keys',
  admits: EITHER,
  takes: nothing,
  status: 200,
  answer: z.array(keyAnswer).describe('The live keys that the caller can see, oldest first.'),
  isReport: true,
  async handle({ store }, { caller }) {
    return (await listKeys(store, caller)).map(viewKey);
  },
});
