import { type Command, Option } from 'commander';
import type { Body } from '../../types.ts';
import { examples } from '../examples.ts';
import { apiKeyId, containerId, firewallId, keyIds } from '../find.ts';
import { commaList, containerOption, jsonOption } from '../options.ts';
import { type Format, printJson, printObject, printRows } from '../print.ts';
import { type Connected, withService } from '../service.ts';
import { writeOut } from '../standard-output.ts';
import { tell } from '../terminal.ts';

/** What an API key may do and where; `false` lifts a restriction. */
interface Settings extends Format {
  readonly actions?: readonly string[];
  readonly keys?: readonly string[] | false;
  readonly firewall?: string | false;
  readonly container?: string;
}

const SHOWN = ['name', 'allowed_actions', 'key_ids', 'firewall_id', 'last_used_at', 'id'];

/** `esk api-keys`. */
export function addApiKeys(program: Command): void {
  const apiKeys = program.command('api-keys').description('API keys: list, create, update, revoke; needs esk login');
  apiKeys
    .command('list')
    .description('list the live API keys, oldest first')
    .addOption(jsonOption())
    .action(listApiKeys);
  const create = apiKeys
    .command('create')
    .description('create an API key; its token is printed this once, on standard output alone')
    .argument('<name>');
  addSettings(create, 'where it is created, in place of the default container')
    .addHelpText(
      'after',
      `${examples(
        ['one that may only encrypt, and only backups', 'esk api-keys create backup-job --actions wrap --keys backups'],
        ['kept without being shown', 'esk api-keys create app --actions encrypt,decrypt > app.token'],
      )}
Actions: encrypt, decrypt, wrap, unwrap, rewrap, rotate, create, rename, delete, restore. esk encrypt needs wrap,
esk decrypt unwrap, esk rewrap both unwrap and rewrap.
`,
    )
    .action(createApiKey);
  const update = apiKeys
    .command('update')
    .description('change an API key, from its next request on')
    .argument('<key>', 'an id or a name')
    .option('--name <name>', 'another name');
  addSettings(update, 'the container that the names are looked up in')
    .option('--no-keys', 'let it use every key of its container')
    .option('--no-firewall', 'let it be used from everywhere')
    .addHelpText(
      'after',
      examples(
        ['give it these actions and no others', 'esk api-keys update app --actions encrypt,decrypt,rewrap'],
        ['lift the restriction to keys', 'esk api-keys update app --no-keys'],
      ),
    )
    .action(updateApiKey);
  apiKeys
    .command('revoke')
    .description('revoke an API key at once; it cannot be had back')
    .argument('<key>', 'an id or a name')
    .addOption(containerOption())
    .addOption(jsonOption())
    .action(revokeApiKey);
}

function addSettings(command: Command, container: string): Command {
  return command
    .addOption(new Option('--actions <actions>', 'what it may do, with commas').argParser(commaList))
    .addOption(
      new Option('--keys <keys>', 'the only keys that it may use, ids or names with commas').argParser(commaList),
    )
    .option('--firewall <firewall>', 'the only networks that it may be used from: an id or a name')
    .addOption(containerOption(container))
    .addOption(jsonOption());
}

async function listApiKeys(options: Format): Promise<void> {
  await withService(async ({ service }) => printRows(await service.listApiKeys(), options, SHOWN));
}

async function createApiKey(name: string, options: Settings): Promise<void> {
  await withService(async (connected) => {
    const { container } = options;
    const within = container === undefined ? {} : { container_id: await containerId(connected, container) };
    const change = await changeOf(connected, options);
    const apiKey = await connected.service.createApiKey({ name, ...within, ...change });
    if (options.json) return printJson(apiKey);
    await writeOut(`${apiKey.token}\n`);
    tell(`The API key ${name} has the id ${apiKey.id}. Its token is shown this once.`);
  });
}

async function updateApiKey(key: string, options: Settings & { readonly name?: string }): Promise<void> {
  await withService(async (connected) => {
    const id = await apiKeyId(connected, key, options.container);
    const { name } = options;
    const change = { ...(name !== undefined && { name }), ...(await changeOf(connected, options)) };
    await printObject(await connected.service.updateApiKey(id, change), options);
  });
}

async function revokeApiKey(key: string, { container }: Settings): Promise<void> {
  await withService(async (connected) => {
    await connected.service.revokeApiKey(await apiKeyId(connected, key, container));
  });
}

async function changeOf(connected: Connected, options: Settings): Promise<Body<'update_api_key'>> {
  const { actions, keys, firewall, container } = options;
  return {
    ...(actions !== undefined && { allowed_actions: [...actions] }),
    ...(keys !== undefined && { key_ids: keys ? await keyIds(connected, keys, container) : null }),
    ...(firewall !== undefined && { firewall_id: firewall ? await firewallId(connected, firewall, container) : null }),
  };
}
