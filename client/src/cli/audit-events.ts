import { InvalidArgumentError, Option } from 'commander';
import { AUDIT_FIELDS } from '../api/generated.ts';
import type { AuditEvent } from '../types.ts';
import type { Command } from './command.ts';
import { csvOption, jsonOption, parseTime } from './options.ts';
import { type Format, printRows } from './print.ts';
import { isRow, rowOf } from './row.ts';

export interface AuditOptions extends Format {
  readonly since?: Date;
  readonly until?: Date;
  readonly limit?: number;
}

const SHOWN = ['ts', 'operation', 'result', 'error_code', 'key_id', 'target_id', 'api_key_id', 'user_id'];
/** The largest number of events that the service returns on one page. */
const PAGE = 1000;

/** Adds the options that `esk audit` and `esk keys audit` share. */
export function addAuditOptions(command: Command): Command {
  return command
    .addOption(new Option('--since <time>', 'Only events at this time or later').argParser(parseTime))
    .addOption(new Option('--until <time>', 'Only events before this time').argParser(parseTime))
    .addOption(new Option('--limit <n>', 'Maximum number of events to show').argParser(parseLimit))
    .addOption(jsonOption())
    .addOption(csvOption());
}

export function windowOf({ since, until, limit = PAGE }: AuditOptions) {
  return { ...(since && { since }), ...(until && { until }), limit: Math.min(limit, PAGE) };
}

export async function printEvents(events: AsyncIterable<AuditEvent>, options: AuditOptions): Promise<void> {
  const all: AuditEvent[] = [];
  const { limit = Number.POSITIVE_INFINITY } = options;
  for await (const event of events) {
    all.push(event);
    if (all.length >= limit) break;
  }
  await printRows(options.csv ? all.map(asTexts) : all, options, SHOWN, AUDIT_FIELDS);
}

/** Replaces objects by their JSON, for a field of CSV. */
function asTexts(event: AuditEvent): object {
  const fields = Object.entries(rowOf(event));
  return Object.fromEntries(fields.map(([name, value]) => [name, isRow(value) ? JSON.stringify(value) : value]));
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (!/^\d+$/.test(text) || limit < 1) throw new InvalidArgumentError('Use a whole number, 1 or more.');
  return limit;
}
