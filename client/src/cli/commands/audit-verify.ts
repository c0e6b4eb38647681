import type { Finding } from '../../../../shared/transparency/seal.ts';
import type { Command } from '../command.ts';
import { errorLine, failureOf } from '../explain.ts';
import { EXIT, Failure } from '../failure.ts';
import { jsonOption } from '../options.ts';
import { printJson } from '../print.ts';
import { LogExport } from '../sealed-log/export.ts';
import {
  acknowledgedPath,
  checkpointPath,
  earlierPath,
  type KeptCheckpoint,
  readAcknowledged,
  readCheckpoint,
  removeCheckpoint,
  writeAcknowledged,
  writeCheckpoint,
} from '../sealed-log/kept-checkpoint.ts';
import type { ShownSeal } from '../sealed-log/log-reader.ts';
import { readOwner, type Verification, verifyLog } from '../sealed-log/verify.ts';
import { withService } from '../service.ts';
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
  await withService(async ({ service, url }) => {
    const owner = await readOwner(service);
    const path = options.checkpoint ?? checkpointPath(url, owner.id);
    const earlier = options.checkpoint === undefined ? earlierPath(url, owner.id) : undefined;
    const kept = await readCheckpoint(path, earlier);
    const acknowledged = await readAcknowledged(acknowledgedPath(path), earlier && acknowledgedPath(earlier));
    const files = options.export === undefined ? undefined : await LogExport.begin(options.export);
    const onSeal = async ({ seal, entries }: ShownSeal) => files?.add(seal, entries);
    const giveUp = async (error: unknown): Promise<never> => {
      await files?.giveUp();
      throw error;
    };
    const verification = await verifyLog(service, owner, kept, onSeal, acknowledged).catch(giveUp);
    const accepts = options.acknowledge === true && isRestoreOnly(verification);
    await report(verification, accepts, kept, options).catch(giveUp);
    // What was found is reported by now: nothing that is written from here on can hide it.
    const notWritten = [
      await failureOf(async () => files?.finish(verification.key, verification.restorations)),
      await failureOf(() =>
        accepts ? acknowledge(path, earlier, verification, options) : keep(path, verification, options),
      ),
    ];
    const failures = [...notWritten, accepts ? undefined : failureFor(verification.findings)];
    const [last, ...others] = failures.filter((failure) => failure !== undefined).toReversed();
    for (const failure of others.toReversed()) await writeError(failure);
    if (last !== undefined) throw last;
  });
}

/** Reports the findings on standard error, or the result of a successful verification on standard output. */
async function report(
  verification: Verification,
  accepts: boolean,
  kept: KeptCheckpoint | undefined,
  { json }: Options,
): Promise<void> {
  const { findings } = verification;
  for (const { code, message } of findings) await writeError(new Failure(EXIT.local, code, message));
  if (findings.length > 0 && !accepts) return;
  const comparison = accepts ? 'the next run compares the log with this checkpoint' : comparisonWith(kept);
  await (json ? printJson(summaryOf(verification)) : writeOut(`${inWords(verification, comparison)}\n`));
}

function isRestoreOnly({ findings }: Pick<Verification, 'findings'>): boolean {
  return findings.length > 0 && findings.every(({ code }) => code === 'log_restored');
}

/**
 * Stores that the user accepts the restored log. The acknowledged statements are written last: if an earlier write
 * fails, the next run reports the restore again.
 */
async function acknowledge(
  path: string,
  earlier: string | undefined,
  verification: Verification,
  { json }: Options,
): Promise<void> {
  if (verification.verified === undefined) await removeCheckpoint(path, earlier);
  else await writeCheckpoint(path, verification.verified);
  await writeAcknowledged(acknowledgedPath(path), verification.restorations);
  const restored = verification.findings.map(({ message }) => `Acknowledged: ${message}.\n`);
  if (!json) await writeOut(restored.join('') + (verification.verified === undefined ? '' : saved(path)));
}

/**
 * Stores the newest valid checkpoint, unless the kept checkpoint is newer or the log does not extend the kept
 * checkpoint.
 */
async function keep(path: string, { verified, findings }: Verification, { json }: Options): Promise<void> {
  const isAnother = findings.some(
    ({ code, seal }) => REWRITTEN.includes(code) || (code === 'signature_wrong' && seal === null),
  );
  if (verified === undefined || isAnother) return;
  // Another run may have stored a newer checkpoint since this run started.
  const kept = await readCheckpoint(path);
  if (sizeOf(verified) < (kept?.checkpoint.size ?? 0)) return;
  await writeCheckpoint(path, verified);
  if (findings.length === 0 && !json) await writeOut(saved(path));
}

function saved(path: string): string {
  return `Saved the checkpoint to ${path}\n`;
}

function sizeOf(checkpoint: string): number {
  return Number(checkpoint.split('\n')[1]);
}

async function writeError(failure: Failure): Promise<void> {
  await new Promise<void>((resolve) => process.stderr.write(`${errorLine(failure)}\n`, () => resolve()));
}

function failureFor(findings: readonly Finding[]): Failure | undefined {
  if (findings.length === 0) return undefined;
  const seals = findings.flatMap(({ seal }) => seal ?? []);
  const since = seals.length === 0 ? '' : `, starting at seal ${seals.reduce((least, seal) => Math.min(least, seal))}`;
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

function inWords({ seals, entries, until, unsealed }: Verification, comparison: string): string {
  const waiting =
    unsealed.length === 0
      ? 'All events are sealed.'
      : `Events not sealed yet: ${unsealed.length}, ${sinceOf(unsealed)}.`;
  if (until === undefined) return `The log has no seals yet. ${waiting}`;
  return `Verified ${entries} events in ${seals} seals, up to ${until}; ${comparison}.\n${waiting}`;
}

function sinceOf(unsealed: Verification['unsealed']): string {
  const [oldest] = unsealed.map(({ ts }) => String(ts)).toSorted();
  return `the oldest from ${oldest}`;
}
