import { CONSOLE } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { holdsKeys } from '../../shared/keys/list.ts';
import { deleteContainer } from '../../shared/tenancy/containers.ts';
import { needs } from '../needs.ts';
import { CONTAINER } from './targets.ts';

export const deleteContainerRoute = needs('store').changeRoute({
  id: 'delete_container',
  operation: 'delete_container',
  method: 'DELETE',
  path: '/v1/containers/{id}',
  summary: 'Delete an empty container',
  description:
    'Deletes a container that has no keys, live API keys or firewalls. The default container cannot be deleted.',
  tag: 'Containers',
  admits: CONSOLE,
  target: CONTAINER,
  takes: nothing,
  refuses: ['container_is_default', 'container_not_empty'],
  status: 204,
  handle: ({ store }, { caller, id, record }) =>
    deleteContainer(store, caller.tenantId, id, (container) => holdsKeys(store, container), record),
});
