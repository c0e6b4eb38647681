import { InvalidArgumentError, Option } from 'commander';
import { ACTIONS } from '../../api/generated.ts';
import type { Action, Body } from '../../types.ts';
import type { Command } from '../command.ts';
import { wrongUsage } from '../failure.ts';
import { readFederations } from '../federations.ts';
import { apiKeyId, containerId, firewallId, keyIds } from '../find.ts';
import { commaList, containerOption, jsonOption, parseTime } from '../options.ts';
import { type Format, printChanged, printRows, printToken } from '../print.ts';
import { type Connected, withService } from '../service.ts';
import { requireOutput } from '../standard-output.ts';
import { tell } from '../terminal.ts';

/** The actions, keys and networks that an API key is restricted to. `false` removes a restriction. */
interface Settings extends Format {
  /** Not validated here: the service refuses unknown actions. */
  readonly actions?: readonly Action[];
  readonly keys?: readonly string[] | false;
  readonly firewall?: string | false;
  readonly container?: string;
  readonly expiresAt?: Date | 'none';
  /** A file with the federations as JSON; `-` for standard input. */
  readonly federations?: string;
}

interface NewSettings extends Settings {
  readonly withoutToken?: boolean;
}

const SHOWN = ['name', 'allowed_actions', 'key_ids', 'firewall_id', 'expires_at', 'last_used_at', 'id'];

export function addApiKeys(program: Command): void {
  const apiKeys = program.command('api-keys').description('Manage API keys (requires esk login)');
  apiKeys.command('list').description('List the API keys, oldest first').addOption(jsonOption()).action(listApiKeys);
  const create = apiKeys
    .command('create')
    .description('Create an API key and print its token, which is shown only once')
    .argument('<name>', 'Name of the new API key');
  addSettings(create, 'Container for the new API key (default: the default container)')
    .option('--without-token', 'Make no token: only workloads can use the API key')
    .examples(
      [
        'Create an API key that can only wrap, and only with one key',
        'esk api-keys create backup-job --actions wrap --keys backups',
      ],
      [
        'Let a workload use the API key, without any token',
        'esk api-keys create ci --actions encrypt --federations ci.json --without-token',
      ],
      ['Save the token without displaying it', 'esk api-keys create app --actions encrypt,decrypt > app.token'],
    )
    .remarks(`Actions:
  ${ACTIONS.join(', ')}

  esk encrypt needs wrap. esk decrypt needs unwrap. esk rewrap needs unwrap and rewrap.`)
    .action(createApiKey);
  const update = apiKeys
    .command('update')
    .description('Change an API key; the change applies from its next request')
    .argument('<key>', 'ID or name of the API key')
    .option('--name <name>', 'New name');
  for (const restriction of ['keys', 'firewall']) refuseBoth(update, restriction);
  addSettings(update, 'Container in which to look up the names')
    .option('--no-keys', 'Allow every key in its container')
    .option('--no-firewall', 'Allow every network')
    .examples(
      ['Replace the allowed actions', 'esk api-keys update app --actions encrypt,decrypt,rewrap'],
      ['Allow every key in its container', 'esk api-keys update app --no-keys'],
    )
    .action(updateApiKey);
  apiKeys
    .command('revoke')
    .description('Revoke an API key immediately; this cannot be undone')
    .argument('<key>', 'ID or name of the API key')
    .addOption(containerOption())
    .addOption(jsonOption())
    .action(revokeApiKey);
}

function addSettings(command: Command, container: string): Command {
  return command
    .addOption(
      new Option('--actions <actions>', 'Allowed actions, separated by commas, or none').argParser(parseActions),
    )
    .addOption(new Option('--keys <keys>', 'Allowed keys: IDs or names, separated by commas').argParser(commaList))
    .option('--firewall <firewall>', 'Firewall with the allowed networks: ID or name')
    .addOption(
      new Option('--expires-at <time>', 'Time from which the API key does not work, or none').argParser(parseExpiry),
    )
    .option('--federations <file>', 'Workloads that can use the API key: a JSON file (- for standard input)')
    .addOption(containerOption(container))
    .addOption(jsonOption());
}

/** Throws a {@link Failure} for an option together with its `--no-` form. Must run before the options are added. */
function refuseBoth(command: Command, name: string): void {
  const given = new Set<string>();
  for (const option of [name, `no-${name}`]) {
    command.on(`option:${option}`, () => {
      if (given.add(option).size > 1) throw wrongUsage(`use either --${name} or --no-${name}`);
    });
  }
}

function parseActions(text: string, before?: readonly string[]): string[] {
  if (before !== undefined && (text === 'none' || before.length === 0))
    throw new InvalidArgumentError('The actions are either none or a list.');
  return text === 'none' ? [] : commaList(text, before);
}

function parseExpiry(text: string): Date | 'none' {
  return text === 'none' ? text : parseTime(text);
}

async function listApiKeys(options: Format): Promise<void> {
  await withService(async ({ service }) => printRows(await service.listApiKeys(), options, SHOWN));
}

async function createApiKey(name: string, options: NewSettings): Promise<void> {
  requireOutput();
  await withService(async (connected) => {
    const { container } = options;
    const within = container === undefined ? {} : { container_id: await containerId(connected, container) };
    const change = await changeOf(connected, options);
    const tokenChoice = options.withoutToken ? { without_token: true } : {};
    const apiKey = await connected.service.createApiKey({ name, ...within, ...change, ...tokenChoice });
    await printToken(apiKey, options, (id) => connected.service.revokeApiKey(id));
    if (options.json || apiKey.token === null) return;
    tell(`Created API key ${JSON.stringify(name)} (${apiKey.id}). Store the token now: it is shown only once.`);
  });
}

async function updateApiKey(key: string, options: Settings & { readonly name?: string }): Promise<void> {
  await withService(async (connected) => {
    const id = await apiKeyId(connected, key, options.container);
    const { name } = options;
    const change = { ...(name !== undefined && { name }), ...(await changeOf(connected, options)) };
    await printChanged(await connected.service.updateApiKey(id, change), options);
  });
}

async function revokeApiKey(key: string, { container }: Settings): Promise<void> {
  await withService(async (connected) => {
    await connected.service.revokeApiKey(await apiKeyId(connected, key, container));
  });
}

async function changeOf(connected: Connected, options: Settings): Promise<Body<'update_api_key'>> {
  const { actions, keys, firewall, container, expiresAt, federations } = options;
  return {
    ...(actions !== undefined && { allowed_actions: [...actions] }),
    ...(keys !== undefined && { key_ids: keys === false ? null : await keyIds(connected, keys, container) }),
    ...(firewall !== undefined && {
      firewall_id: firewall === false ? null : await firewallId(connected, firewall, container),
    }),
    ...(expiresAt !== undefined && { expires_at: expiresAt === 'none' ? null : expiresAt }),
    ...(federations !== undefined && { federations: await readFederations(federations) }),
  };
}
