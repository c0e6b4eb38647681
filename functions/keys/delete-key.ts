import { EITHER } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { operationRoute } from '../../shared/http/pipeline.ts';
import { keyAnswer, viewKey } from '../../shared/keys/view.ts';
import { requestDeletion } from '../../shared/lifecycle/delete-key.ts';
import type { ChangeNeeds } from '../../shared/lifecycle/needs.ts';

export const deleteKeyRoute = operationRoute({
  id: 'delete_key',
  operation: 'delete_key',
  method: 'DELETE',
  path: '/v1/keys/{id}',
  summary: 'Request the deletion of a key; for seven days it can be undone',
  admits: EITHER,
  takes: nothing,
  status: 200,
  answer: keyAnswer,
  async handle(needs: ChangeNeeds, { origin, key }) {
    return viewKey(await requestDeletion(needs, origin, key));
  },
});
