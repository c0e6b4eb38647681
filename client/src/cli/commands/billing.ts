import { list } from '../columns.ts';
import type { Command } from '../command.ts';
import { jsonOption } from '../options.ts';
import { type Format, printJson, printObject, printRows } from '../print.ts';
import { rowOf } from '../row.ts';
import { withService } from '../service.ts';
import { writeOut } from '../standard-output.ts';

const SHOWN = ['key_name', 'tier', 'days', 'fee_cents', 'ops', 'allowance', 'overage_ops', 'overage_cents'];

export function addBilling(program: Command): void {
  const billing = program.command('billing').description('Show costs and the subscription (requires esk login)');
  billing
    .command('show')
    .description('Show the billing standing and the subscription')
    .addOption(jsonOption())
    .action(showBilling);
  billing
    .command('statement')
    .description('Show the costs of a month, one line for each paid key')
    .option('--period <YYYY-MM>', 'Month to show (default: the current month)')
    .addOption(jsonOption())
    .examples(['Show the costs of October', 'esk billing statement --period 2026-10'])
    .action(showStatement);
}

async function showBilling(options: Format): Promise<void> {
  await withService(async ({ service }) => printObject(await service.readBilling(), options));
}

async function showStatement(options: Format & { readonly period?: string }): Promise<void> {
  const { period } = options;
  await withService(async ({ service }) => {
    const statement = await service.readStatement(period === undefined ? {} : { period });
    if (options.json) return printJson(statement);
    const { lines, ...totals } = statement;
    if (lines.length > 0) await printRows(lines, options, SHOWN);
    await writeOut(`${lines.length > 0 ? '\n' : ''}${list(rowOf(totals))}`);
  });
}
