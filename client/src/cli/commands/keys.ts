import type { Command } from 'commander';
import { examples } from '../examples.ts';
import { addKeyChanges } from './key-changes.ts';
import { addKeyDangers } from './key-dangers.ts';
import { addKeyReads } from './key-reads.ts';
import { addKeyRecipient } from './key-recipient.ts';

/** `esk keys`. */
export function addKeys(program: Command): void {
  const keys = program
    .command('keys')
    .description('keys: list, create, rotate, delete')
    .addHelpText(
      'after',
      examples(
        ['a key of its own in the KMS, which keeps its last three versions', 'esk keys create backups --tier software'],
        ['which keys are there', 'esk keys list'],
        ['a new version; then bring files under it', 'esk keys rotate backups\nesk rewrap backups/*.age'],
      ),
    );
  addKeyReads(keys);
  addKeyRecipient(keys);
  addKeyChanges(keys);
  addKeyDangers(keys);
}
