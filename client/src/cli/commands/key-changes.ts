import { Option } from 'commander';
import { TIERS } from '../../api/generated.ts';
import type { Tier } from '../../types.ts';
import type { Command } from '../command.ts';
import { containerId, keyId } from '../find.ts';
import { containerOption, jsonOption } from '../options.ts';
import { printChanged } from '../print.ts';
import { withService } from '../service.ts';

interface Options {
  readonly container?: string;
  readonly json?: boolean;
}

export function addKeyChanges(keys: Command): void {
  keys
    .command('create')
    .description('Create a key')
    .argument('<name>', 'Name of the new key')
    .addOption(new Option('--tier <tier>', `One of ${TIERS.join(', ')}`).makeOptionMandatory())
    .addOption(containerOption('Container for the new key (default: the default container)'))
    .addOption(jsonOption())
    .examples(
      ['Create a key that keeps its newest 3 versions', 'esk keys create backups --tier software'],
      ['Get the ID of the new key, in a script', 'esk keys create orders --tier wrapped --json | jq -r .id'],
    )
    .action(createKey);
  keys
    .command('rename')
    .description('Rename a key; its ID stays the same, and its ciphertext stays readable')
    .argument('<key>', 'ID or name of the key')
    .argument('<name>', 'New name')
    .addOption(containerOption())
    .addOption(jsonOption())
    .action(renameKey);
  keys
    .command('delete')
    .description('Disable a key now and destroy it in seven days; until then it can be restored')
    .argument('<key>', 'ID or name of the key')
    .addOption(containerOption())
    .addOption(jsonOption())
    .action(deleteKey);
  keys
    .command('restore')
    .description('Restore a key that is pending deletion')
    .argument('<key>', 'ID or name of the key')
    .addOption(containerOption())
    .addOption(jsonOption())
    .action(restoreKey);
  keys
    .command('freeze')
    .description('Stop every use of a key now, for example when an API key has leaked; nothing is lost')
    .argument('<key>', 'ID or name of the key')
    .addOption(containerOption())
    .addOption(jsonOption())
    .examples(['Stop every use of a key', 'esk keys freeze orders'], ['Allow its use again', 'esk keys thaw orders'])
    .remarks(`Until it is thawed, a frozen key can be neither used nor rotated. It can be renamed, deleted, restored and destroyed, and
it costs as much as before.`)
    .action(freezeKey);
  keys
    .command('thaw')
    .description('Make a frozen key usable again')
    .argument('<key>', 'ID or name of the key')
    .addOption(containerOption())
    .addOption(jsonOption())
    .action(thawKey);
}

/** Creates a key. Does not validate the tier, because the service refuses an unknown tier. */
async function createKey(name: string, options: Options & { readonly tier: Tier }): Promise<void> {
  await withService(async (connected) => {
    const { container, tier } = options;
    const within = container === undefined ? {} : { container_id: await containerId(connected, container) };
    await printChanged(await connected.service.createKey({ name, tier, ...within }), options);
  });
}

async function renameKey(key: string, name: string, options: Options): Promise<void> {
  await withService(async (connected) => {
    const id = await keyId(connected, key, options.container);
    await printChanged(await connected.service.renameKey(id, { name }), options);
  });
}

async function deleteKey(key: string, options: Options): Promise<void> {
  await withService(async (connected) => {
    const id = await keyId(connected, key, options.container);
    await printChanged(await connected.service.deleteKey(id), options);
  });
}

async function restoreKey(key: string, options: Options): Promise<void> {
  await withService(async (connected) => {
    const id = await keyId(connected, key, options.container);
    await printChanged(await connected.service.restoreKey(id), options);
  });
}

async function freezeKey(key: string, options: Options): Promise<void> {
  await withService(async (connected) => {
    const id = await keyId(connected, key, options.container);
    await printChanged(await connected.service.freezeKey(id), options);
  });
}

async function thawKey(key: string, options: Options): Promise<void> {
  await withService(async (connected) => {
    const id = await keyId(connected, key, options.container);
    await printChanged(await connected.service.thawKey(id), options);
  });
}
