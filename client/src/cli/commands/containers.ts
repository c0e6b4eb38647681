import type { Command } from '../command.ts';
import { containerId } from '../find.ts';
import { jsonOption } from '../options.ts';
import { type Format, printChanged, printRows } from '../print.ts';
import { withService } from '../service.ts';

const SHOWN = ['name', 'is_default', 'created_at', 'id'];

export function addContainers(program: Command): void {
  const containers = program.command('containers').description('Manage containers (requires esk login)');
  containers.command('list').description('List the containers').addOption(jsonOption()).action(listContainers);
  containers
    .command('create')
    .description('Create a container; an API key can use only the keys in its own container')
    .argument('<name>', 'Name of the new container')
    .addOption(jsonOption())
    .examples([
      'Create a container, a key in it, and an API key that can use only this container',
      'esk containers create billing\nesk keys create invoices --tier software --container billing\nesk api-keys create biller --actions wrap,unwrap --container billing',
    ])
    .action(createContainer);
  containers
    .command('rename')
    .description('Rename a container')
    .argument('<container>', 'ID or name of the container')
    .argument('<name>', 'New name')
    .addOption(jsonOption())
    .action(renameContainer);
  containers
    .command('delete')
    .description('Delete an empty container')
    .argument('<container>', 'ID or name of the container')
    .addOption(jsonOption())
    .action(deleteContainer);
}

async function listContainers(options: Format): Promise<void> {
  await withService(async ({ service }) => printRows(await service.listContainers(), options, SHOWN));
}

async function createContainer(name: string, options: Format): Promise<void> {
  await withService(async ({ service }) => printChanged(await service.createContainer({ name }), options));
}

async function renameContainer(container: string, name: string, options: Format): Promise<void> {
  await withService(async (connected) => {
    const id = await containerId(connected, container);
    await printChanged(await connected.service.renameContainer(id, { name }), options);
  });
}

async function deleteContainer(container: string): Promise<void> {
  await withService(async (connected) => connected.service.deleteContainer(await containerId(connected, container)));
}
