import { CONSOLE } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { operationRoute } from '../../shared/http/pipeline.ts';
import { destroyNow } from '../../shared/lifecycle/destroy-key.ts';
import type { ChangeNeeds, DestructionNeeds } from '../../shared/lifecycle/needs.ts';

export const destroyKeyRoute = operationRoute({
  id: 'destroy_key',
  operation: 'destroy_key',
  method: 'POST',
  path: '/v1/keys/{id}/destroy',
  summary: 'Destroy a key at once; this cannot be undone',
  admits: CONSOLE,
  takes: nothing,
  status: 204,
  handle: (needs: ChangeNeeds & DestructionNeeds, { origin, key }) => destroyNow(needs, origin, key),
});
