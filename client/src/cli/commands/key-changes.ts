import { type Command, Option } from 'commander';
import { examples } from '../examples.ts';
import { containerId, keyId } from '../find.ts';
import { containerOption, jsonOption } from '../options.ts';
import { printObject } from '../print.ts';
import { withService } from '../service.ts';

interface Options {
  readonly container?: string;
  readonly json?: boolean;
}

/** The commands of `esk keys` that can be undone. */
export function addKeyChanges(keys: Command): void {
  keys
    .command('create')
    .description('create a key')
    .argument('<name>')
    .addOption(new Option('--tier <tier>', 'free, wrapped, software or hsm').makeOptionMandatory())
    .addOption(containerOption('where it is created, in place of the default container'))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples(
        ['one that keeps its last three versions', 'esk keys create backups --tier software'],
        ['its id, for a program', 'esk keys create orders --tier wrapped --json | jq -r .id'],
      ),
    )
    .action(createKey);
  keys
    .command('rename')
    .description('rename a key; its id and what it encrypted stay as they are')
    .argument('<key>', 'an id or a name')
    .argument('<name>', 'the new name')
    .addOption(containerOption())
    .addOption(jsonOption())
    .action(renameKey);
  keys
    .command('delete')
    .description('take a key out of use; it is destroyed in seven days, and can be restored until then')
    .argument('<key>', 'an id or a name')
    .addOption(containerOption())
    .addOption(jsonOption())
    .action(deleteKey);
  keys
    .command('restore')
    .description('take a deletion back')
    .argument('<key>', 'an id or a name')
    .addOption(containerOption())
    .addOption(jsonOption())
    .action(restoreKey);
}

async function createKey(name: string, options: Options & { readonly tier: string }): Promise<void> {
  await withService(async (connected) => {
    const { container, tier } = options;
    const within = container === undefined ? {} : { container_id: await containerId(connected, container) };
    await printObject(await connected.service.createKey({ name, tier, ...within }), options);
  });
}

async function renameKey(key: string, name: string, options: Options): Promise<void> {
  await withService(async (connected) => {
    const id = await keyId(connected, key, options.container);
    await printObject(await connected.service.renameKey(id, { name }), options);
  });
}

async function deleteKey(key: string, options: Options): Promise<void> {
  await withService(async (connected) => {
    const id = await keyId(connected, key, options.container);
    await printObject(await connected.service.deleteKey(id), options);
  });
}

async function restoreKey(key: string, options: Options): Promise<void> {
  await withService(async (connected) => {
    const id = await keyId(connected, key, options.container);
    await printObject(await connected.service.restoreKey(id), options);
  });
}
