import { EITHER } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { keyAnswer, viewKey } from '../../shared/keys/view.ts';
import { needs } from '../needs.ts';

export const getKeyRoute = needs().keyRoute({
  id: 'get_key',
  method: 'GET',
  path: '/v1/keys/{id}',
  summary: 'Get a key',
  description:
    'Returns a key with its state and versions. If the key is destroyed or the caller cannot reach it, the error is `not_found`.',
  tag: 'Keys',
  admits: EITHER,
  takes: nothing,
  status: 200,
  answer: keyAnswer,
  async handle(_parts, { key }) {
    return viewKey(key);
  },
});
