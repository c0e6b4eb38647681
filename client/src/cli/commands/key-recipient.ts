import { recipientOf } from '../../age-plugin/recipient.ts';
import type { Command } from '../command.ts';
import { findKey } from '../find.ts';
import { containerOption } from '../options.ts';
import { withService } from '../service.ts';
import { writeOut } from '../standard-output.ts';

export function addKeyRecipient(keys: Command): void {
  keys
    .command('recipient')
    .description('Print the age recipient of a key, for use with age-plugin-esk')
    .argument('<key>', 'ID or name of the key')
    .addOption(containerOption())
    .examples([
      'Encrypt and decrypt with age',
      'age -r "$(esk keys recipient backups)" -o report.age report.pdf\nage -d -j esk -o report.pdf report.age',
    ])
    .action(printRecipient);
}

async function printRecipient(key: string, { container }: { readonly container?: string }): Promise<void> {
  await withService(async (connected) => {
    const { id } = await findKey(connected, key, container);
    await writeOut(`${recipientOf(id)}\n`);
  });
}
