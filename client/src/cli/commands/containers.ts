import type { Command } from 'commander';
import { examples } from '../examples.ts';
import { containerId } from '../find.ts';
import { jsonOption } from '../options.ts';
import { type Format, printObject, printRows } from '../print.ts';
import { withService } from '../service.ts';

const SHOWN = ['name', 'is_default', 'created_at', 'id'];

/** `esk containers`. */
export function addContainers(program: Command): void {
  const containers = program
    .command('containers')
    .description('containers: list, create, rename, delete; needs esk login');
  containers.command('list').description('list the containers').addOption(jsonOption()).action(listContainers);
  containers
    .command('create')
    .description('create a container: its API keys see its keys and no others')
    .argument('<name>')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples([
        'a container, a key in it, and an API key that sees nothing else',
        'esk containers create billing\nesk keys create invoices --tier software --container billing\nesk api-keys create biller --actions wrap,unwrap --container billing',
      ]),
    )
    .action(createContainer);
  containers
    .command('rename')
    .description('rename a container')
    .argument('<container>', 'an id or a name')
    .argument('<name>', 'the new name')
    .addOption(jsonOption())
    .action(renameContainer);
  containers
    .command('delete')
    .description('delete a container that is empty')
    .argument('<container>', 'an id or a name')
    .addOption(jsonOption())
    .action(deleteContainer);
}

async function listContainers(options: Format): Promise<void> {
  await withService(async ({ service }) => printRows(await service.listContainers(), options, SHOWN));
}

async function createContainer(name: string, options: Format): Promise<void> {
  await withService(async ({ service }) => printObject(await service.createContainer({ name }), options));
}

async function renameContainer(container: string, name: string, options: Format): Promise<void> {
  await withService(async (connected) => {
    const id = await containerId(connected, container);
    await printObject(await connected.service.renameContainer(id, { name }), options);
  });
}

async function deleteContainer(container: string): Promise<void> {
  await withService(async (connected) => connected.service.deleteContainer(await containerId(connected, container)));
}
