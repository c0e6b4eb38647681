import { CONSOLE } from '../../shared/auth/admission.ts';
import { nothing } from '../../shared/http/input.ts';
import { containerAnswer, viewContainer } from '../../shared/tenancy/container.ts';
import { loadContainer } from '../../shared/tenancy/containers.ts';
import { needs } from '../needs.ts';
import { CONTAINER } from './targets.ts';

export const getContainerRoute = needs('store').resourceRoute({
  id: 'get_container',
  method: 'GET',
  path: '/v1/containers/{id}',
  summary: 'Get a container',
  description: 'Returns a container. Its keys are not included.',
  tag: 'Containers',
  admits: CONSOLE,
  target: CONTAINER,
  takes: nothing,
  status: 200,
  answer: containerAnswer,
  async handle({ store }, { caller, id }) {
    return viewContainer(await loadContainer(store, caller.tenantId, id));
  },
});
