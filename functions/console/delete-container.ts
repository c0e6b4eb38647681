import { CONSOLE } from '../../shared/auth/caller.ts';
import { type ContainerId, parseId } from '../../shared/base/ids.ts';
import { nothing } from '../../shared/http/input.ts';
import { resourceRoute } from '../../shared/http/pipeline.ts';
import { deleteContainer } from '../../shared/tenancy/containers.ts';

export const deleteContainerRoute = resourceRoute({
  id: 'delete_container',
  method: 'DELETE',
  path: '/v1/containers/{id}',
  summary: 'Delete an empty container',
  admits: CONSOLE,
  pathId: parseId<ContainerId>,
  takes: nothing,
  refuses: ['container_is_default', 'container_not_empty'],
  status: 204,
  handle: ({ env, caller, id }) => deleteContainer(env, caller.tenantId, id),
});
