import { type AuditOptions, addAuditOptions, printEvents, windowOf } from '../audit-events.ts';
import type { Command } from '../command.ts';
import { containerId, findKey, keyId } from '../find.ts';
import { containerOption, jsonOption } from '../options.ts';
import { printObject, printRows } from '../print.ts';
import { withService } from '../service.ts';

interface Options {
  readonly container?: string;
  readonly json?: boolean;
}

const SHOWN = ['name', 'tier', 'state', 'frozen_at', 'primary_version', 'created_at', 'id'];

export function addKeyReads(keys: Command): void {
  keys
    .command('list')
    .description('List the keys that you can access, oldest first')
    .addOption(containerOption('Only keys in this container'))
    .addOption(jsonOption())
    .examples(['Print only the names', "esk keys list --json | jq -r '.[].name'"])
    .action(listKeys);
  keys
    .command('get')
    .description('Show a key and its versions')
    .argument('<key>', 'ID or name of the key')
    .addOption(containerOption())
    .addOption(jsonOption())
    .action(getKey);
  const audit = keys
    .command('audit')
    .description("Show a key's audit events, newest first")
    .argument('<key>', 'ID or name of the key (for a destroyed key, only the ID)')
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
