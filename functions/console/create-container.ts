import { z } from 'zod';
import { CONSOLE } from '../../shared/auth/caller.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { plainRoute } from '../../shared/http/pipeline.ts';
import { containerAnswer, viewContainer } from '../../shared/tenancy/container-view.ts';
import { createContainer } from '../../shared/tenancy/containers.ts';
import { refuseName } from '../../shared/tenancy/name.ts';

export const createContainerRoute = plainRoute({
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
