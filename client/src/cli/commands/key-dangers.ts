import type { Command } from 'commander';
import type { Key } from '../../types.ts';
import { confirmByName, refuseUnasked } from '../confirm.ts';
import { examples } from '../examples.ts';
import { findKey, keyId } from '../find.ts';
import { containerOption, jsonOption } from '../options.ts';
import { printObject } from '../print.ts';
import { withService } from '../service.ts';
import { canAsk } from '../terminal.ts';

interface Options {
  readonly container?: string;
  readonly json?: boolean;
  readonly yes?: boolean;
}

/** The commands of `esk keys` that can lose data for good. */
export function addKeyDangers(keys: Command): void {
  keys
    .command('rotate')
    .description('make a new version of a key, under which is encrypted from then on')
    .argument('<key>', 'an id or a name')
    .addOption(containerOption())
    .option('--yes', 'do not ask before older ciphertext of a free or wrapped key is lost')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `${examples(['a new version; then bring files under it', 'esk keys rotate backups\nesk rewrap backups/*.age'])}
A software key keeps its newest 3 versions, an hsm key its newest 2: rewrap before more rotations retire the old one.
A free or wrapped key keeps the new one alone: whatever was encrypted before is unreadable from then on.
`,
    )
    .action(rotateKey);
  keys
    .command('destroy')
    .description('destroy a key at once and for good, with all that it encrypted')
    .argument('<key>', 'an id or a name')
    .addOption(containerOption())
    .option('--yes', 'do not ask')
    .addOption(jsonOption())
    .addHelpText('after', examples(['in a script', 'esk keys destroy scratch --yes']))
    .action(destroyKey);
}

async function rotateKey(key: string, options: Options): Promise<void> {
  await withService(async (connected) => {
    const id = options.yes
      ? await keyId(connected, key, options.container)
      : await askBeforeLoss(await findKey(connected, key, options.container));
    await printObject(await connected.service.rotateKey(id), options);
  });
}

/** The key's id, once a person at a terminal has confirmed what is lost. A script that rotates a key has nobody to ask. */
async function askBeforeLoss({ id, name, tier }: Key): Promise<string> {
  if ((tier !== 'free' && tier !== 'wrapped') || !canAsk()) return id;
  await confirmByName(
    name,
    `Everything that the ${tier} key ${name} has encrypted so far becomes unreadable, for good.`,
  );
  return id;
}

async function destroyKey(key: string, options: Options): Promise<void> {
  refuseUnasked('esk keys destroy', options.yes);
  await withService(async (connected) => {
    const { service } = connected;
    if (options.yes) return service.destroyKey(await keyId(connected, key, options.container));
    const { id, name } = await findKey(connected, key, options.container);
    await confirmByName(
      name,
      `The key ${name} is destroyed at once, and everything that it encrypted is lost for good.`,
    );
    await service.destroyKey(id);
  });
}
