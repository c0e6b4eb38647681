import type { Recovery } from '../http/recovery.ts';
import type { Body } from '../types.ts';

export function createdContainer({ name }: Body<'create_container'>): Recovery<'create_container'> {
  return {
    settledBy: 'container_exists',
    find: async (ask) => {
      const containers = await ask('list_containers', {});
      const found = containers.find((one) => one.name === name);
      return found && { answer: found };
    },
  };
}
