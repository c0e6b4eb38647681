import { z } from 'zod';
import { CONSOLE } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { containerAnswer, viewContainer } from '../../shared/tenancy/container.ts';
import { listContainers } from '../../shared/tenancy/containers.ts';
import { needs } from '../needs.ts';

export const listContainersRoute = needs('store').route({
  id: 'list_containers',
  method: 'GET',
  path: '/v1/containers',
  summary: 'List containers',
  description: 'Returns all containers of the tenant, including the default container.',
  tag: 'Containers',
  admits: CONSOLE,
  takes: nothing,
  status: 200,
  answer: z.array(containerAnswer).describe('Oldest first.'),
  isReport: true,
  async handle({ store }, { caller }) {
    return (await listContainers(store, caller.tenantId)).map(viewContainer);
  },
});
