import type { Recovery } from '../http/recovery.ts';
import type { Body } from '../types.ts';

/** Finds the container with the requested name, which is unique in the tenant. */
export function createdContainer({ name }: Body<'create_container'>): Recovery<'create_container'> {
  return {
    codeIfDone: 'container_exists',
    find: async (call) => {
      const containers = await call('list_containers', {});
      const found = containers.find((one) => one.name === name);
      return found && { answer: found };
    },
  };
}
