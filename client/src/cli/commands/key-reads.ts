import type { Command } from 'commander';
import { type AuditOptions, addAuditOptions, printEvents, windowOf } from '../audit-events.ts';
import { examples } from '../examples.ts';
import { containerId, findKey, keyId } from '../find.ts';
import { containerOption, jsonOption } from '../options.ts';
import { printObject, printRows } from '../print.ts';
import { withService } from '../service.ts';

interface Options {
  readonly container?: string;
  readonly json?: boolean;
}

const SHOWN = ['name', 'tier', 'state', 'primary_version', 'created_at', 'id'];

/** The commands of `esk keys` that change nothing. */
export function addKeyReads(keys: Command): void {
  keys
    .command('list')
    .description('list the keys that the credential reaches, oldest first')
    .addOption(containerOption('only the keys of this container'))
    .addOption(jsonOption())
    .addHelpText('after', examples(['the names alone', "esk keys list --json | jq -r '.[].name'"]))
    .action(listKeys);
  keys
    .command('get')
    .description('show a key with its versions')
    .argument('<key>', 'an id or a name')
    .addOption(containerOption())
    .addOption(jsonOption())
    .action(getKey);
  const audit = keys
    .command('audit')
    .description('what was done with a key, newest first')
    .argument('<key>', 'an id or a name; of a destroyed key its id')
    .addOption(containerOption());
  addAuditOptions(audit).action(auditKey);
}

async function listKeys(options: Options): Promise<void> {
  await withService(async (connected) => {
    const within = options.container === undefined ? undefined : await containerId(connected, options.container);
    const keys = await connected.service.listKeys();
    const wanted = keys.filter((key) => within === undefined || key.container_id === within);
    await printRows(wanted, options, SHOWN);
  });
}

async function getKey(key: string, options: Options): Promise<void> {
  await withService(async (connected) => printObject(await findKey(connected, key, options.container), options));
}

async function auditKey(key: string, options: Options & AuditOptions): Promise<void> {
  await withService(async (connected) => {
    const id = await keyId(connected, key, options.container);
    await printEvents(connected.service.readKeyAudit(id, windowOf(options)), options);
  });
}
