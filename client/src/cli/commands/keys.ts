import type { Command } from '../command.ts';
import { addKeyChanges } from './key-changes.ts';
import { addKeyDangers } from './key-dangers.ts';
import { addKeyReads } from './key-reads.ts';
import { addKeyRecipient } from './key-recipient.ts';

export function addKeys(program: Command): void {
  const keys = program
    .command('keys')
    .description('Manage keys')
    .examples(
      ['Create a key that keeps its newest 3 versions', 'esk keys create backups --tier software'],
      ['List the keys', 'esk keys list'],
      ['Rotate a key, then rewrap its files', 'esk keys rotate backups\nesk rewrap backups/*.age'],
    );
  addKeyReads(keys);
  addKeyRecipient(keys);
  addKeyChanges(keys);
  addKeyDangers(keys);
}
