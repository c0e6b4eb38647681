import { EITHER } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { keyAnswer, viewKey } from '../../shared/keys/view.ts';
import { requestDeletion } from '../../shared/lifecycle/delete-key.ts';
import { needs } from '../needs.ts';

/** Repeating the request changes nothing: the dates stay, and there is no second audit row. */
export const deleteKeyRoute = needs('store', 'clock', 'log', 'keyChanges').keyRoute({
  id: 'delete_key',
  operation: 'delete_key',
  method: 'DELETE',
  path: '/v1/keys/{id}',
  summary: 'Schedule a key for deletion in seven days',
  description:
    'Schedules a key for destruction seven days from now. Until then the key cannot be used, but it can be restored.',
  tag: 'Keys',
  admits: EITHER,
  takes: nothing,
  status: 200,
  answer: keyAnswer,
  async handle(services, { origin, key }) {
    return viewKey(await requestDeletion(services, origin, key));
  },
});
