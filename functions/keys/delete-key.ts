import { EITHER } from '../../shared/auth/caller.ts';
import { nothing } from '../../shared/http/input.ts';
import { keyRoute } from '../../shared/http/pipeline.ts';
import { requestDeletion } from '../../shared/keys/deletion.ts';
import { keyAnswer, viewKey } from '../../shared/keys/view.ts';

export const deleteKeyRoute = keyRoute({
  id: 'delete_key',
  method: 'DELETE',
  path: '/v1/keys/{id}',
  summary: 'Request the deletion of a key; for seven days it can be undone',
  admits: EITHER,
  action: 'delete',
  operation: 'delete_key',
  takes: nothing,
  status: 200,
  answer: keyAnswer,
  async handle({ env, request, caller, key }) {
    return viewKey(await requestDeletion(env, { requestId: request.id, caller }, key));
  },
});
