import { Option } from 'commander';
import type { Command } from '../command.ts';
import { containerId, firewallId } from '../find.ts';
import { commaList, containerOption, jsonOption } from '../options.ts';
import { type Format, printChanged, printRows } from '../print.ts';
import { withService } from '../service.ts';

interface Options extends Format {
  readonly name?: string;
  readonly networks?: readonly string[];
  readonly container?: string;
}

const SHOWN = ['name', 'allowed_ips', 'updated_at', 'id'];

export function addFirewalls(program: Command): void {
  const firewalls = program.command('firewalls').description('Manage firewalls (requires esk login)');
  firewalls.command('list').description('List the firewalls').addOption(jsonOption()).action(listFirewalls);
  firewalls
    .command('create')
    .description('Create a firewall: a list of networks that API keys can be limited to')
    .argument('<name>', 'Name of the new firewall')
    .addOption(networksOption().makeOptionMandatory())
    .addOption(containerOption('Container for the new firewall (default: the default container)'))
    .addOption(jsonOption())
    .examples([
      'Limit an API key to the office network',
      'esk firewalls create office --networks 192.0.2.0/24,2001:db8::/32\nesk api-keys update app --firewall office',
    ])
    .action(createFirewall);
  firewalls
    .command('update')
    .description('Change a firewall; the change applies from the next request')
    .argument('<firewall>', 'ID or name of the firewall')
    .option('--name <name>', 'New name')
    .addOption(networksOption())
    .addOption(containerOption())
    .addOption(jsonOption())
    .action(updateFirewall);
  firewalls
    .command('delete')
    .description('Delete a firewall that no API key uses')
    .argument('<firewall>', 'ID or name of the firewall')
    .addOption(containerOption())
    .addOption(jsonOption())
    .action(deleteFirewall);
}

function networksOption(): Option {
  return new Option('--networks <networks>', 'IP addresses or networks, separated by commas').argParser(commaList);
}

async function listFirewalls(options: Format): Promise<void> {
  await withService(async ({ service }) => printRows(await service.listFirewalls(), options, SHOWN));
}

async function createFirewall(name: string, options: Options): Promise<void> {
  await withService(async (connected) => {
    const { container, networks = [] } = options;
    const within = container === undefined ? {} : { container_id: await containerId(connected, container) };
    const firewall = { name, allowed_ips: [...networks], ...within };
    await printChanged(await connected.service.createFirewall(firewall), options);
  });
}

async function updateFirewall(firewall: string, options: Options): Promise<void> {
  await withService(async (connected) => {
    const { name, networks, container } = options;
    const id = await firewallId(connected, firewall, container);
    const change = { ...(name !== undefined && { name }), ...(networks && { allowed_ips: [...networks] }) };
    await printChanged(await connected.service.updateFirewall(id, change), options);
  });
}

async function deleteFirewall(firewall: string, { container }: Options): Promise<void> {
  await withService(async (connected) => {
    await connected.service.deleteFirewall(await firewallId(connected, firewall, container));
  });
}
