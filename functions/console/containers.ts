import { z } from 'zod';
import { CONSOLE } from '../../shared/auth/admission.ts';
import type { IdentifyNeeds } from '../../shared/auth/needs.ts';
import { type ContainerId, parseId } from '../../shared/base/ids.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { nothing } from '../../shared/http/input.ts';
import { route } from '../../shared/http/pipeline.ts';
import type { Route } from '../../shared/http/route.ts';
import { holdsKeys } from '../../shared/keys/list.ts';
import { containerAnswer, viewContainer } from '../../shared/tenancy/container.ts';
import {
  createContainer,
  deleteContainer,
  listContainers,
  loadContainer,
  renameContainer,
} from '../../shared/tenancy/containers.ts';
import { refuseName } from '../../shared/tenancy/name.ts';
import type { ChangeNeeds, CreationNeeds } from '../../shared/tenancy/needs.ts';

const createContainerRoute = route({
  id: 'create_container',
  method: 'POST',
  path: '/v1/containers',
  summary: 'Create a container',
  admits: CONSOLE,
  takes: jsonBody(z.object({ name: z.string() })),
  refuses: ['invalid_name', 'container_exists', 'limit_reached'],
  status: 201,
  answer: containerAnswer,
  async handle(needs: CreationNeeds, { caller, input }) {
    refuseName(input.name);
    return viewContainer(await createContainer(needs, caller.tenantId, input.name));
  },
});

const listContainersRoute = route({
  id: 'list_containers',
  method: 'GET',
  path: '/v1/containers',
  summary: "List the tenant's containers, oldest first",
  admits: CONSOLE,
  takes: nothing,
  status: 200,
  answer: z.array(containerAnswer),
  async handle(needs: ChangeNeeds, { caller }) {
    return (await listContainers(needs.store, caller.tenantId)).map(viewContainer);
  },
});

const getContainerRoute = route({
  id: 'get_container',
  method: 'GET',
  path: '/v1/containers/{id}',
  summary: 'Get a container',
  admits: CONSOLE,
  pathId: parseId<ContainerId>,
  takes: nothing,
  status: 200,
  answer: containerAnswer,
  async handle(needs: ChangeNeeds, { caller, id }) {
    return viewContainer(await loadContainer(needs.store, caller.tenantId, id));
  },
});

const renameContainerRoute = route({
  id: 'rename_container',
  method: 'PATCH',
  path: '/v1/containers/{id}',
  summary: 'Rename a container',
  admits: CONSOLE,
  pathId: parseId<ContainerId>,
  takes: jsonBody(z.object({ name: z.string() })),
  refuses: ['invalid_name', 'container_exists'],
  status: 200,
  answer: containerAnswer,
  async handle(needs: ChangeNeeds, { caller, id, input }) {
    await loadContainer(needs.store, caller.tenantId, id);
    refuseName(input.name);
    return viewContainer(await renameContainer(needs.store, caller.tenantId, id, input.name));
  },
});

const deleteContainerRoute = route({
  id: 'delete_container',
  method: 'DELETE',
  path: '/v1/containers/{id}',
  summary: 'Delete an empty container',
  admits: CONSOLE,
  pathId: parseId<ContainerId>,
  takes: nothing,
  refuses: ['container_is_default', 'container_not_empty'],
  status: 204,
  handle: (needs: ChangeNeeds, { caller, id }) =>
    deleteContainer(needs.store, caller.tenantId, id, (container) => holdsKeys(needs.store, container)),
});

/** What is done with containers. */
export const containerRoutes: readonly Route<IdentifyNeeds & CreationNeeds>[] = [
  createContainerRoute,
  listContainersRoute,
  getContainerRoute,
  renameContainerRoute,
  deleteContainerRoute,
];
