import { z } from 'zod';
import { CONSOLE } from '../../shared/auth/caller.ts';
import { type ContainerId, parseId } from '../../shared/base/ids.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { resourceRoute } from '../../shared/http/pipeline.ts';
import { containerAnswer, viewContainer } from '../../shared/tenancy/container-view.ts';
import { loadContainer, renameContainer } from '../../shared/tenancy/containers.ts';
import { refuseName } from '../../shared/tenancy/name.ts';

export const renameContainerRoute = resourceRoute({
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
