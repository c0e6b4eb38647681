import type { Finding } from '../../../../shared/transparency/seal.ts';
import type { Command } from '../command.ts';
import { errorLine } from '../explain.ts';
import { EXIT, Failure } from '../failure.ts';
import { jsonOption } from '../options.ts';
import { printJson } from '../print.ts';
import { LogExport } from '../sealed-log/export.ts';
import {
  acknowledgedPath,
  checkpointPath,
  type KeptCheckpoint,
  readAcknowledged,
  readCheckpoint,
  removeCheckpoint,
  writeAcknowledged,
  writeCheckpoint,
} from '../sealed-log/kept-checkpoint.ts';
import type { ShownSeal } from '../sealed-log/log-reader.ts';
import { readOwner, type Verification, verifyLog } from '../sealed-log/verify.ts';
import { type Connected, withService } from '../service.ts';
import { writeOut } from '../standard-output.ts';

interface Options {
  readonly acknowledge?: boolean;
  readonly checkpoint?: string;
  readonly export?: string;
  readonly json?: boolean;
}

/** After these findings, the kept checkpoint is not replaced, because the log does not extend it. */
const REWRITTEN: readonly Finding['code'][] = ['log_cut', 'log_rewritten', 'log_restored', 'restoration_missing'];

export function addAuditVerify(audit: Command): void {
  audit
    .command('verify')
    .description('Check that nobody altered the audit log (requires esk login)')
    .option('--checkpoint <file>', 'File that stores the newest verified checkpoint')
    .option('--acknowledge', 'Accept that a restore lost entries, if verification finds nothing else')
    .option('--export <dir>', 'Folder to export the log to, for offline verification')
    .addOption(jsonOption())
    .examples(
      ['Verify the log daily, on a machine that you control', 'esk audit verify'],
      ['Export the log for an auditor', 'esk audit verify --export audit-2026'],
    )
    // If `audit` and `audit verify` have the same option, commander stores its value in `audit`.
    .action((_options: unknown, command: Command) => verify(command.optsWithGlobals()));
}

async function verify(options: Options): Promise<void> {
  await withService(async (connected) => {
    const owner = await readOwner(connected.service);
    const path = options.checkpoint ?? checkpointPath(connected.url, owner.id);
    const kept = await readCheckpoint(path);
    const acknowledged = await readAcknowledged(acknowledgedPath(path));
    const verification = await exporting(options.export, connected, owner, kept, acknowledged);
    if (options.acknowledge && isRestoreOnly(verification)) return acknowledge(path, verification, options);
    await keep(path, kept, verification);
    if (verification.findings.length > 0) throw await tell(verification.findings);
    if (options.json) return printJson(summaryOf(verification));
    await writeOut(`${inWords(verification, comparisonWith(kept), path)}\n`);
  });
}

/** Verifies the log. If a folder is given, also exports the log into it, even if there are findings. */
async function exporting(
  dir: string | undefined,
  { service }: Connected,
  owner: Parameters<typeof verifyLog>[1],
  kept: KeptCheckpoint | undefined,
  acknowledged: readonly string[],
): Promise<Verification> {
  if (dir === undefined) return verifyLog(service, owner, kept, async () => undefined, acknowledged);
  const files = await LogExport.begin(dir);
  try {
    const onSeal = ({ seal, entries }: ShownSeal) => files.add(seal, entries);
    const verification = await verifyLog(service, owner, kept, onSeal, acknowledged);
    await files.finish(verification.key, verification.restorations);
    return verification;
  } catch (error) {
    await files.giveUp();
    throw error;
  }
}

function isRestoreOnly({ findings }: Pick<Verification, 'findings'>): boolean {
  return findings.length > 0 && findings.every(({ code }) => code === 'log_restored');
}

/**
 * Stores that the user accepts the restored log. The acknowledged statements are written last: if an earlier write
 * fails, the next run reports the restore again.
 */
async function acknowledge(path: string, verification: Verification, { json }: Options): Promise<void> {
  if (verification.verified === undefined) await removeCheckpoint(path);
  else await writeCheckpoint(path, verification.verified);
  await writeAcknowledged(acknowledgedPath(path), verification.restorations);
  if (json) return printJson(summaryOf(verification));
  const restored = verification.findings.map(({ message }) => `Acknowledged: ${message}.`);
  await writeOut(
    `${[...restored, inWords(verification, 'the next run compares the log with this checkpoint', path)].join('\n')}\n`,
  );
}

/**
 * Stores the newest valid checkpoint, unless the kept checkpoint is newer or the log does not extend the kept
 * checkpoint.
 */
async function keep(path: string, kept: KeptCheckpoint | undefined, { verified, findings }: Verification) {
  const isAnother = findings.some(
    ({ code, seal }) => REWRITTEN.includes(code) || (code === 'signature_wrong' && seal === null),
  );
  if (verified === undefined || isAnother || sizeOf(verified) < (kept?.checkpoint.size ?? 0)) return;
  await writeCheckpoint(path, verified);
}

function sizeOf(checkpoint: string): number {
  return Number(checkpoint.split('\n')[1]);
}

async function tell(findings: readonly Finding[]): Promise<Failure> {
  for (const { code, message } of findings) {
    const line = errorLine(new Failure(EXIT.local, code, message));
    await new Promise<void>((resolve) => process.stderr.write(`${line}\n`, () => resolve()));
  }
  const seals = findings.flatMap(({ seal }) => seal ?? []);
  const since = seals.length === 0 ? '' : `, starting at seal ${Math.min(...seals)}`;
  const count = findings.length === 1 ? '1 finding' : `${findings.length} findings`;
  const hint = isRestoreOnly({ findings }) ? '. If you were told of the restore, accept it with --acknowledge' : '';
  return new Failure(EXIT.local, 'not_verified', `the audit log was altered or is incomplete: ${count}${since}${hint}`);
}

function summaryOf({ key, restorations, seals, entries, until, unsealed, verified }: Verification) {
  return {
    log: key.name,
    seals,
    entries,
    until: until ?? null,
    unsealed: unsealed.length,
    restorations: restorations.length,
    checkpoint: verified ?? null,
  };
}

function comparisonWith(kept: KeptCheckpoint | undefined): string {
  if (kept === undefined) return 'there was no earlier checkpoint to compare with';
  return `the ${kept.checkpoint.size} events verified last time are unchanged`;
}

function inWords({ seals, entries, until, unsealed }: Verification, comparison: string, path: string) {
  const waiting =
    unsealed.length === 0
      ? 'All events are sealed.'
      : `Events not sealed yet: ${unsealed.length}, ${sinceOf(unsealed)}.`;
  if (until === undefined) return `The log has no seals yet. ${waiting}`;
  return [
    `Verified ${entries} events in ${seals} seals, up to ${until}; ${comparison}.`,
    waiting,
    `Saved the checkpoint to ${path}`,
  ].join('\n');
}

function sinceOf(unsealed: Verification['unsealed']): string {
  const [oldest] = unsealed.map(({ ts }) => String(ts)).toSorted();
  return `the oldest from ${oldest}`;
}
