import type { Command } from '../command.ts';
import { keyId } from '../find.ts';
import { containerOption, csvOption, jsonOption, refuseContainerAlone } from '../options.ts';
import { type Format, printRows } from '../print.ts';
import { withService } from '../service.ts';

interface Options extends Format {
  readonly period?: string;
  readonly daily?: boolean;
  readonly key?: string;
  readonly container?: string;
}

/** The API's field names, in the order in which the API returns them. */
const MONTHLY = ['key_id', 'container_id', 'ops', 'overage_ops', 'cap', 'allowance'];
const DAILY = ['day', 'key_id', 'container_id', 'ops'];

export function addUsage(program: Command): void {
  program
    .command('usage')
    .description('Show how many operations each key performed in a month')
    .option('--period <YYYY-MM>', 'Month to show (default: the current month)')
    .option('--daily', 'Show one line per day and key')
    .option('--key <key>', 'Only this key: ID or name')
    .addOption(containerOption())
    .addOption(jsonOption())
    .addOption(csvOption())
    .examples(
      ["Show this month's usage", 'esk usage'],
      ["Export October's daily usage for a spreadsheet", 'esk usage --period 2026-10 --daily --csv > october.csv'],
    )
    .remarks(
      'The table also shows since when a key is frozen. With --json and --csv, only the fields of the API are printed.',
    )
    .action(showUsage);
}

async function showUsage(options: Options): Promise<void> {
  refuseContainerAlone(options);
  await withService(async (connected) => {
    const { service } = connected;
    const period = options.period === undefined ? {} : { period: options.period };
    const key_id = options.key === undefined ? undefined : await keyId(connected, options.key, options.container);
    if (options.daily) {
      return printRows(await service.readUsageDaily({ ...period, ...(key_id && { key_id }) }), options, DAILY);
    }
    const keys = options.json || options.csv ? undefined : await service.listKeys();
    const lines = await service.readUsage(period);
    const wanted = lines.filter((line) => key_id === undefined || line.key_id === key_id);
    if (keys === undefined) return printRows(wanted, options, MONTHLY);
    const frozenAt = new Map(keys.map(({ id, frozen_at }) => [id, frozen_at]));
    const shown = wanted.map((line) => ({ ...line, frozen_at: frozenAt.get(line.key_id) ?? null }));
    await printRows(shown, options, [...MONTHLY, 'frozen_at']);
  });
}
