import { CONSOLE } from '../../shared/auth/caller.ts';
import { nothing } from '../../shared/http/input.ts';
import { keyRoute } from '../../shared/http/pipeline.ts';
import { destroyNow } from '../../shared/keys/destroy.ts';

export const destroyKeyRoute = keyRoute({
  id: 'destroy_key',
  method: 'POST',
  path: '/v1/keys/{id}/destroy',
  summary: 'Destroy a key at once; this cannot be undone',
  admits: CONSOLE,
  operation: 'destroy_key',
  takes: nothing,
  status: 204,
  handle: ({ env, request, caller, key }) => destroyNow(env, { requestId: request.id, caller }, key),
});
