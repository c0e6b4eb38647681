import type { Command } from 'commander';
import { list } from '../columns.ts';
import { examples } from '../examples.ts';
import { jsonOption } from '../options.ts';
import { type Format, printJson, printObject, printRows } from '../print.ts';
import { rowOf } from '../row.ts';
import { withService } from '../service.ts';
import { writeOut } from '../standard-output.ts';

const SHOWN = ['key_name', 'tier', 'days', 'fee_cents', 'ops', 'allowance', 'overage_ops', 'overage_cents'];

/** `esk billing`. */
export function addBilling(program: Command): void {
  const billing = program.command('billing').description('what the service costs; needs esk login');
  billing
    .command('show')
    .description('show the standing and the subscription')
    .addOption(jsonOption())
    .action(showBilling);
  billing
    .command('statement')
    .description('show what a month costs, a line for each paid key')
    .option('--period <YYYY-MM>', 'the month, in place of the current one')
    .addOption(jsonOption())
    .addHelpText('after', examples(['the month of October', 'esk billing statement --period 2026-10']))
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
