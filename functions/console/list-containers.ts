import { z } from 'zod';
import { CONSOLE } from '../../shared/auth/caller.ts';
import { nothing } from '../../shared/http/input.ts';
import { plainRoute } from '../../shared/http/pipeline.ts';
import { containerAnswer, viewContainer } from '../../shared/tenancy/container-view.ts';
import { listContainers } from '../../shared/tenancy/containers.ts';

export const listContainersRoute = plainRoute({
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
