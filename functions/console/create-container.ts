import { z } from 'zod';
import { CONSOLE } from '../../shared/auth/admission.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { nameField } from '../../shared/http/fields.ts';
import { NEW } from '../../shared/http/target.ts';
import { containerAnswer, viewContainer } from '../../shared/tenancy/container.ts';
import { createContainer } from '../../shared/tenancy/containers.ts';
import { refuseName } from '../../shared/tenancy/name.ts';
import { needs } from '../needs.ts';

export const createContainerRoute = needs('store', 'clock', 'creations').changeRoute({
  id: 'create_container',
  operation: 'create_container',
  method: 'POST',
  path: '/v1/containers',
  summary: 'Create a container',
  description: 'Creates an empty container. The name must be unused in the tenant.',
  tag: 'Containers',
  admits: CONSOLE,
  target: NEW,
  takes: jsonBody(z.object({ name: nameField.meta({ examples: ['staging'] }) })),
  refuses: ['invalid_name', 'container_exists', 'limit_reached'],
  status: 201,
  answer: containerAnswer,
  async handle(services, { caller, input, record }) {
    refuseName(input.name);
    return viewContainer(await createContainer(services, caller.tenantId, input.name, record));
  },
});
