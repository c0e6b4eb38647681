import type { Key } from '../../types.ts';
import type { Command } from '../command.ts';
import { confirmByName, requireConfirmable } from '../confirm.ts';
import { findKey, keyId } from '../find.ts';
import { containerOption, jsonOption } from '../options.ts';
import { printChanged, printJson } from '../print.ts';
import { describeRotation } from '../rotation-preview.ts';
import { withService } from '../service.ts';
import { writeOut } from '../standard-output.ts';

interface Options {
  readonly container?: string;
  readonly json?: boolean;
  readonly yes?: boolean;
}

interface Rotation extends Options {
  readonly dryRun?: boolean;
}

export function addKeyDangers(keys: Command): void {
  keys
    .command('rotate')
    .description('Add a version to a key; from then on, new data is encrypted with that version')
    .argument('<key>', 'ID or name of the key')
    .addOption(containerOption())
    .option('--dry-run', 'Show what the rotation would do, and change nothing')
    .option('--yes', 'Skip the confirmation for a free or wrapped key; required in scripts')
    .addOption(jsonOption())
    .examples(
      [
        'Show which versions a rotation would retire, and whether they are still used',
        'esk keys rotate backups --dry-run',
      ],
      ['Rotate a key, then rewrap its files', 'esk keys rotate backups\nesk rewrap backups/*.age'],
      ['Rotate a wrapped key in a script, after decrypting what you want to keep', 'esk keys rotate orders --yes'],
    )
    .remarks(`A software key keeps its newest 3 versions, an hsm key its newest 2. Rewrap files before a later rotation retires their
version. A free or wrapped key keeps only the new version: everything encrypted before the rotation becomes permanently
unreadable. Without a terminal, esk rotates such a key only with --yes.

After a rotation, the KMS may take hours to use the new version as primary. Until then, --dry-run can count operations of
a software or hsm key under the wrong version.`)
    .action(rotateKey);
  keys
    .command('destroy')
    .description('Destroy a key and everything encrypted with it, immediately and permanently')
    .argument('<key>', 'ID or name of the key')
    .addOption(containerOption())
    .option('--yes', 'Skip the confirmation')
    .addOption(jsonOption())
    .examples(['Destroy a key in a script', 'esk keys destroy scratch --yes'])
    .action(destroyKey);
}

async function rotateKey(key: string, options: Rotation): Promise<void> {
  if (options.dryRun) return previewRotation(key, options);
  await withService(async (connected) => {
    const id = options.yes
      ? await keyId(connected, key, options.container)
      : await askBeforeLoss(await findKey(connected, key, options.container));
    await printChanged(await connected.service.rotateKey(id), options);
  });
}

async function previewRotation(key: string, options: Options): Promise<void> {
  await withService(async (connected) => {
    const found = await findKey(connected, key, options.container);
    const preview = await connected.service.previewRotation(found.id);
    await (options.json ? printJson(preview) : writeOut(describeRotation(found, preview)));
  });
}

/** Returns the key's id. If a rotation would make old ciphertext unreadable, first asks for confirmation. */
async function askBeforeLoss({ id, name, tier }: Key): Promise<string> {
  if (tier !== 'free' && tier !== 'wrapped') return id;
  requireConfirmable('esk keys rotate', false, `makes everything encrypted with this ${tier} key unreadable`);
  await confirmByName(
    name,
    `Everything encrypted so far with the ${tier} key ${JSON.stringify(name)} becomes permanently unreadable.`,
  );
  return id;
}

async function destroyKey(key: string, options: Options): Promise<void> {
  requireConfirmable('esk keys destroy', options.yes);
  await withService(async (connected) => {
    const { service } = connected;
    if (options.yes) return service.destroyKey(await keyId(connected, key, options.container));
    const { id, name } = await findKey(connected, key, options.container);
    await confirmByName(
      name,
      `This destroys the key ${JSON.stringify(name)} immediately. Everything encrypted with it becomes permanently unreadable.`,
    );
    await service.destroyKey(id);
  });
}
