import { z } from 'zod';
import { CONSOLE } from '../../shared/auth/caller.ts';
import { type ContainerId, parseId } from '../../shared/base/ids.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { nothing } from '../../shared/http/input.ts';
import { plainRoute, resourceRoute } from '../../shared/http/pipeline.ts';
import type { Route } from '../../shared/http/route.ts';
import { containerAnswer, viewContainer } from '../../shared/tenancy/container.ts';
import {
  createContainer,
  deleteContainer,
  listContainers,
  loadContainer,
  renameContainer,
} from '../../shared/tenancy/containers.ts';
import { refuseName } from '../../shared/tenancy/name.ts';

const createContainerRoute = plainRoute({
  id: 'create_container',
  method: 'POST',
  path: '/v1/containers',
  summary: 'Create a container',
  admits: CONSOLE,
  takes: jsonBody(z.object({ name: z.string() })),
  refuses: ['invalid_name', 'container_exists', 'limit_reached'],
  status: 201,
  answer: containerAnswer,
  async handle({ env, caller, input }) {
    refuseName(input.name);
    return viewContainer(await createContainer(env, caller.tenantId, input.name));
  },
});

const listContainersRoute = plainRoute({
  id: 'list_containers',
  method: 'GET',
  path: '/v1/containers',
  summary: "List the tenant's containers, oldest first",
  admits: CONSOLE,
  takes: nothing,
  status: 200,
  answer: z.array(containerAnswer),
  async handle({ env, caller }) {
    return (await listContainers(env, caller.tenantId)).map(viewContainer);
  },
});

const getContainerRoute = resourceRoute({
  id: 'get_container',
  method: 'GET',
  path: '/v1/containers/{id}',
  summary: 'Get a container',
  admits: CONSOLE,
  pathId: parseId<ContainerId>,
  takes: nothing,
  status: 200,
  answer: containerAnswer,
  async handle({ env, caller, id }) {
    return viewContainer(await loadContainer(env, caller.tenantId, id));
  },
});

const renameContainerRoute = resourceRoute({
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
  async handle({ env, caller, id, input }) {
    await loadContainer(env, caller.tenantId, id);
    refuseName(input.name);
    return viewContainer(await renameContainer(env, caller.tenantId, id, input.name));
  },
});

const deleteContainerRoute = resourceRoute({
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

/** What is done with containers. */
export const containerRoutes: readonly Route[] = [
  createContainerRoute,
  listContainersRoute,
  getContainerRoute,
  renameContainerRoute,
  deleteContainerRoute,
];
