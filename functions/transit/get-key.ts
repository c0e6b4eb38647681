import { z } from 'zod';
import { API_KEY } from '../../shared/auth/admission.ts';
import { invalidQuery, query } from '../../shared/http/query.ts';
import { needs } from '../needs.ts';
import { VAULT } from './dialect.ts';
import { envelope } from './envelope.ts';
import { keyAnswer, viewKey } from './key-answer.ts';
import { byName } from './key-names.ts';

export const getKeyRoute = needs().keyRoute({
  id: 'transit_get_key',
  dialect: VAULT,
  method: 'GET',
  path: '/v1/transit/keys/{name}',
  summary: 'Transit: get a key',
  description: "Returns a key in Transit's format, with its `tier`, `state` and ID.",
  tag: 'Transit',
  admits: API_KEY,
  lookup: byName,
  takes: query(z.object({}), (parameters) => {
    if (parameters.has('context')) throw invalidQuery('context is not supported: keys are never derived');
  }),
  status: 200,
  answer: keyAnswer,
  async handle(_parts, { origin, key }) {
    return envelope(origin.requestId, viewKey(key));
  },
});
