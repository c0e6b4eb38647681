import { z } from 'zod';
import { CONSOLE } from '../../shared/auth/admission.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { nameField } from '../../shared/http/fields.ts';
import { containerAnswer, viewContainer } from '../../shared/tenancy/container.ts';
import { loadContainer, renameContainer } from '../../shared/tenancy/containers.ts';
import { refuseName } from '../../shared/tenancy/name.ts';
import { needs } from '../needs.ts';
import { CONTAINER } from './targets.ts';

/** Checks the id before the name, so that an unknown container is `not_found` even with an invalid name. */
export const renameContainerRoute = needs('store').changeRoute({
  id: 'rename_container',
  operation: 'rename_container',
  method: 'PATCH',
  path: '/v1/containers/{id}',
  summary: 'Rename a container',
  description: 'Changes the name of a container. The name must be unused in the tenant.',
  tag: 'Containers',
  admits: CONSOLE,
  target: CONTAINER,
  takes: jsonBody(z.object({ name: nameField.meta({ examples: ['production'] }) })),
  refuses: ['invalid_name', 'container_exists'],
  status: 200,
  answer: containerAnswer,
  async handle({ store }, { caller, id, input, record }) {
    await loadContainer(store, caller.tenantId, id);
    refuseName(input.name);
    return viewContainer(await renameContainer(store, caller.tenantId, id, input.name, record));
  },
});
