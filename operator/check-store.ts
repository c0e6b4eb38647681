/*
 * Checks the store against the KMS, its own counts and Stripe, for example after a restore:
 *
 *   node operator/check-store.ts [--adopt] [--since YYYY-MM] [--kms-reads N] [--json]
 *
 * --adopt stores what the KMS and Stripe know and the store lacks: versions from rotations after the backup, and
 * subscriptions. --since is the first month whose operations and invoices are checked, by default the month before the
 * current one. --kms-reads limits the reads from the KMS per minute. Reads the service's environment. Exits with 0 if it
 * finds nothing, 1 if it finds something, 2 for a wrong option, and 3 if it could not finish.
 */
import { makeInstant } from '../shared/base/clock.ts';
import { monthOf, monthStart, parseMonth } from '../shared/base/month.ts';
import { readConfig } from '../shared/config.ts';
import { checkStore } from './checks/check-store.ts';
import { type Part, renderPart } from './checks/part.ts';
import { openCheckServices } from './checks/services.ts';
import { readArguments, refuseUsage } from './usage.ts';

const PROGRAM = 'check-store';
const { values } = readArguments(PROGRAM, {
  options: {
    adopt: { type: 'boolean', default: false },
    since: { type: 'string' },
    'kms-reads': { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const { adopt, json } = values;
const services = openCheckServices(readConfig(process.env), process.env, readLimit(values['kms-reads']));
const since = values.since === undefined ? lastMonth() : parseMonth(values.since);
if (since === undefined) refuseUsage(PROGRAM, '--since: expected a month, YYYY-MM');

const parts: Part[] = [];
try {
  for await (const part of checkStore(services, { since, adopt })) {
    parts.push(part);
    if (!json) process.stdout.write(`${renderPart(part)}\n`);
  }
} catch (error) {
  process.stderr.write(`${PROGRAM}: could not finish: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(3);
}
const findings = parts.flatMap((part) => part.findings).length;
const summary = `${findings === 0 ? 'No' : findings} ${findings === 1 ? 'finding' : 'findings'}.`;
const answer = json ? JSON.stringify({ findings, parts }) : summary;
process.stdout.write(`${answer}\n`, () => process.exit(findings === 0 ? 0 : 1));

function lastMonth() {
  return monthOf(makeInstant(monthStart(monthOf(services.clock.now())) - 1));
}

function readLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,5}$/.test(text)) refuseUsage(PROGRAM, '--kms-reads: expected a whole number from 1 to 999999');
  return Number(text);
}
