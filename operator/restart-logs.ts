/*
 * Compares the audit logs with their signed checkpoints after a restore: node operator/restart-logs.ts FILE
 *
 * FILE is the service's log of the last 30 days, as `gcloud logging read --format=json` prints it, or one JSON object
 * per line; `-` is standard input. FILE must contain all lines, because each run replaces the results of earlier runs.
 *
 * If an audit log lacks a checkpoint, the program marks it as restored. Nothing more of that log is signed until
 * `seal-audit` runs while the service is closed. That run signs a statement of the loss.
 *
 * Reads the service's environment. Prints JSON: a line for each restored tenant, then a line of counts. Exits with code
 * 1 if a line was rejected, a log could not be compared, or a different result of an earlier run was replaced. Exits
 * with code 2 if the command line or the file is wrong.
 */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { makeClock } from '../shared/base/clock.ts';
import { idSchema, type TenantId } from '../shared/base/ids.ts';
import { readConfig } from '../shared/config.ts';
import type { EventName } from '../shared/events.ts';
import { loadKms } from '../shared/kms/load-kms.ts';
import { SigningKey } from '../shared/kms/signing-key.ts';
import { loadLogKey, type Signer } from '../shared/sealing/log-key.ts';
import { restartLog, type SignedHead } from '../shared/sealing/restart-log.ts';
import { openStore } from '../shared/store/open-store.ts';
import { openCheckpoint } from '../shared/transparency/checkpoint.ts';
import type { VerifierKey } from '../shared/transparency/verifier-key.ts';
import { checkEach } from './checks/part.ts';
import { readLogEntries } from './log-entries.ts';
import { readArguments, refuseUsage } from './usage.ts';
import { refuseWrongClock } from './wrong-clock.ts';

const PROGRAM = 'restart-logs';
const MESSAGE: EventName = 'checkpoint signed';
const REPLACED =
  'replaced a stored restoration that does not follow from these lines; check that the file contains all lines';

const checkpointLine = z.object({
  message: z.literal(MESSAGE),
  tenant_id: idSchema<TenantId>(),
  branch: z.int().min(0),
  index: z.int().min(0),
  checkpoint: z.string(),
});
type CheckpointLine = z.output<typeof checkpointLine>;

const [file, ...more] = readArguments(PROGRAM, { allowPositionals: true }).positionals;
if (file === undefined || more.length > 0) refuseUsage(PROGRAM, 'expected one file, or - for standard input');
const config = readConfig(process.env);
const { sealing } = config;
if (sealing === undefined) refuseUsage(PROGRAM, 'set AUDIT_SIGNING_KEY and AUDIT_ORIGIN first');
const signer: Signer = { origin: sealing.origin, key: new SigningKey(sealing.signingKey, () => loadKms(config)) };
const services = { store: openStore(config), clock: makeClock() };
const entries = await readEntries(file);
await refuseWrongClock(PROGRAM, services);

let problems = 0;
const lines = entries.flatMap(parseLine);
const counts = { checkpoints: lines.length, unchanged: 0, restored: 0, gone: 0 };
const restart = async ([tenantId, own]: [TenantId, CheckpointLine[]]) => {
  try {
    const key = await loadLogKey(signer, tenantId);
    const { log, due, replaced } = await restartLog(services, tenantId, key, verify(tenantId, key, own));
    counts[log]++;
    if (due !== null) {
      const { lost, from, branch } = due;
      print({ tenant_id: tenantId, lost_size: lost.size, from_size: from.size, branch });
    }
    if (replaced) report(`tenant ${tenantId}: ${REPLACED}`);
  } catch (error) {
    report(`tenant ${tenantId}: ${error instanceof Error ? error.message : String(error)}`);
  }
};
await checkEach([[...Map.groupBy(lines, (line) => line.tenant_id)]], restart);
print(counts, () => process.exit(problems === 0 ? 0 : 1));

async function readEntries(path: string): Promise<unknown[]> {
  try {
    return readLogEntries(path === '-' ? await text(process.stdin) : await readFile(path, 'utf8'));
  } catch (error) {
    return refuseUsage(PROGRAM, `${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function parseLine(entry: unknown, at: number): CheckpointLine[] {
  if (z.object({ message: z.literal(MESSAGE) }).safeParse(entry).error) return [];
  const line = checkpointLine.safeParse(entry);
  if (line.success) return [line.data];
  report(`entry ${at + 1} is malformed: ${line.error.issues.map(({ path }) => path.join('.')).join(', ')}`);
  return [];
}

/**
 * Returns only the checkpoints that the key has signed, because an attacker may be able to write to the service's log.
 */
function verify(tenantId: TenantId, key: VerifierKey, own: readonly CheckpointLine[]): SignedHead[] {
  return own.flatMap(({ checkpoint, index, branch }) => {
    const opened = openCheckpoint(checkpoint, key);
    if ('checkpoint' in opened) {
      const { size, root } = opened.checkpoint;
      return [{ index, branch, checkpoint, size, root }];
    }
    report(`tenant ${tenantId}: checkpoint ${index} was rejected (${opened.refused})`);
    return [];
  });
}

function print(line: object, done?: () => void): void {
  process.stdout.write(`${JSON.stringify(line)}\n`, done);
}

function report(problem: string): void {
  problems++;
  process.stderr.write(`${PROGRAM}: ${problem}\n`);
}
