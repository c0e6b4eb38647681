/*
 * Redoes the changes that a restored backup has lost: node operator/after-restore.ts --since TIME [OPTIONS] FILE
 *
 *   --since TIME   the time of the backup, which contains all earlier changes
 *   --service URL  the service's address, which must answer that the service is closed; not needed with --dry-run
 *   --dry-run      writes nothing, and shows what would be applied
 *   --destroy      also destroys the keys that were destroyed since the backup; without it, they become pending deletion
 *
 * FILE is the service's log since the backup, as `gcloud logging read --format=json` prints it, or one JSON object per
 * line; `-` is standard input. Run the program before you let callers in, and then run check-store.ts. Running it again
 * is harmless. Reads the service's environment. Prints a table, and the lost keys and versions. Exits with code 1 if a
 * change failed, or 2 if the options or the file are wrong, the service is open, or the store is not the backup.
 */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { makeClock } from '../shared/base/clock.ts';
import { parseInstant } from '../shared/base/rfc3339.ts';
import { readConfig } from '../shared/config.ts';
import { Kms } from '../shared/kms/kms.ts';
import { KmsWrites } from '../shared/kms/kms-writes.ts';
import { loadKms } from '../shared/kms/load-kms.ts';
import { settle } from '../shared/lifecycle/settle.ts';
import { openStore } from '../shared/store/open-store.ts';
import type { RedoLine } from '../shared/tenancy/redo-log.ts';
import type { RedoServices } from './redo/change.ts';
import { readRedoLines } from './redo/read-lines.ts';
import { describeLost, redo, viewReport } from './redo/redo.ts';
import { refuseOpen, refuseStore, refuseTime } from './redo/refusal.ts';
import { readArguments, refuseUsage } from './usage.ts';
import { refuseWrongClock } from './wrong-clock.ts';

const PROGRAM = 'after-restore';
const { values, positionals } = readArguments(PROGRAM, {
  options: {
    since: { type: 'string' },
    service: { type: 'string' },
    'dry-run': { type: 'boolean' },
    destroy: { type: 'boolean' },
  },
  allowPositionals: true,
});
const [file, ...more] = positionals;
if (file === undefined || more.length > 0) refuseUsage(PROGRAM, 'expected one file, or - for standard input');
const since = parseInstant(values.since ?? '');
if (since === undefined) refuseUsage(PROGRAM, '--since: expected the time of the backup, such as 2026-11-24T03:00:00Z');
const clock = makeClock();
const dryRun = values['dry-run'] ?? false;
refuse('--since', refuseTime(since, clock.now()));
if (values.service === undefined && !dryRun) refuseUsage(PROGRAM, '--service: expected the address of the service');
const all = await readLines(file);
const lines = all.filter(({ commit_time }) => commit_time > since);

const config = readConfig(process.env);
const services: RedoServices = {
  store: openStore(config),
  clock,
  // The log already contains the lines of these changes, so they are not logged again.
  log: { write() {} },
  kms: new Kms(config.keyRing, () => loadKms(config)),
  kmsWrites: new KmsWrites(config.kmsWritesPerMinute),
  settle,
  destroy: values.destroy ?? false,
  tell: (problem) => process.stderr.write(`${PROGRAM}: ${problem}\n`),
};
if (values.service !== undefined) refuse('--service', await refuseOpen(values.service));
refuse('--since', await refuseStore(services, all, since));
await refuseWrongClock(PROGRAM, services);
const report = await redo(services, lines, dryRun);
const lost = await describeLost(services.store, lines);
const summary = `${all.length} lines, ${lines.length} of them after the backup`;
const lostLines = [
  '',
  `${lost.length} lost keys and versions, whose ciphertext can no longer be decrypted`,
  ...lost,
  '',
].join('\n');
const isDone = [...report.values()].every(({ failed }) => failed === 0);
process.stdout.write(`${summary}\n\n${viewReport(report)}${lostLines}`, () => process.exit(isDone ? 0 : 1));

function refuse(option: string, reason: string | undefined): void {
  if (reason !== undefined) refuseUsage(PROGRAM, `${option}: ${reason}`);
}

async function readLines(path: string): Promise<RedoLine[]> {
  try {
    return readRedoLines(path === '-' ? await text(process.stdin) : await readFile(path, 'utf8'));
  } catch (error) {
    return refuseUsage(PROGRAM, `${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
