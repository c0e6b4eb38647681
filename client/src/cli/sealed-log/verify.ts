import { openCheckpoint } from '../../../../shared/transparency/checkpoint.ts';
import type { Entry } from '../../../../shared/transparency/entry.ts';
import type { Finding, Seal } from '../../../../shared/transparency/seal.ts';
import { parseVerifierKey, type VerifierKey } from '../../../../shared/transparency/verifier-key.ts';
import { LogVerifier } from '../../../../shared/transparency/verify-log.ts';
import { RestorationVerifier } from '../../../../shared/transparency/verify-restorations.ts';
import { checkUnsealed } from '../../../../shared/transparency/verify-rows.ts';
import { OperationCounts } from '../../../../shared/transparency/verify-usage.ts';
import { METERED } from '../../api/generated.ts';
import type { EncryptionService } from '../../service.ts';
import { EXIT, Failure } from '../failure.ts';
import { rowOf } from '../row.ts';
import type { KeptCheckpoint } from './kept-checkpoint.ts';
import { LogReader, type ShownSeal } from './log-reader.ts';

export interface LogOwner {
  readonly id: string;
  /** RFC 3339 with microseconds. */
  readonly createdAt: string;
}

export interface Verification {
  readonly key: VerifierKey;
  readonly findings: readonly Finding[];
  /** The newest valid checkpoint, to keep for the next verification. */
  readonly verified: string | undefined;
  readonly seals: number;
  readonly entries: number;
  readonly until: string | undefined;
  readonly restorations: readonly string[];
  readonly unsealed: readonly Entry[];
}

export async function readOwner(service: EncryptionService): Promise<LogOwner> {
  const { tenant } = await service.me();
  return { id: tenant.id, createdAt: String(rowOf(tenant).created_at) };
}

/** Verifies a log against the kept checkpoint and the acknowledged restores. Calls `onSeal` for every seal. */
export async function verifyLog(
  service: EncryptionService,
  owner: LogOwner,
  kept: KeptCheckpoint | undefined,
  onSeal: (shown: ShownSeal) => Promise<void>,
  acknowledged: readonly string[] = [],
): Promise<Verification> {
  const key = await readKey(service);
  const findings = [...checkName(key, owner), ...checkKept(key, kept)];
  const reader = new LogReader(service);
  const restorations = await reader.restorations();
  const verifier = new LogVerifier(key, kept?.checkpoint, new RestorationVerifier(key, restorations, acknowledged));
  const counts = new OperationCounts(METERED);
  let [seals, entries] = [0, 0];
  let last: Seal | undefined;
  for await (const shown of reader.seals()) {
    if (last === undefined) findings.push(...checkStart(shown.seal, owner));
    findings.push(...verifier.check(shown.seal, shown.entries, shown.rows));
    for (const entry of shown.entries) if (entry !== undefined) counts.add(entry);
    await onSeal(shown);
    seals += 1;
    entries = shown.seal.size;
    last = shown.seal;
  }
  findings.push(...verifier.finish());
  findings.push(...checkBefore(owner, await reader.rows(undefined, owner.createdAt)));
  const unsealed = await reader.rows(last?.until ?? owner.createdAt, undefined);
  findings.push(...checkUnsealed(unsealed, Date.now()));
  for (const entry of unsealed) counts.add(entry);
  const differences = await compareUsage(service, owner, counts);
  const found = { key, findings: [...findings, ...differences], verified: verifier.verified, restorations };
  return { ...found, seals, entries, until: last?.until, unsealed };
}

async function readKey(service: EncryptionService): Promise<VerifierKey> {
  const key = parseVerifierKey((await service.readAuditKey()).trim());
  if (key === undefined)
    throw new Failure(EXIT.local, 'signature_wrong', 'the service returned an invalid verifier key');
  return key;
}

/** Checks that the key has the tenant's name. One key pair signs all logs, so only the names of the keys differ. */
function checkName(key: VerifierKey, { id }: LogOwner): Finding[] {
  if (key.name.endsWith(`/${id}`)) return [];
  return [
    { code: 'signature_wrong', seal: null, message: `the verifier key belongs to ${key.name}, not to tenant ${id}` },
  ];
}

function checkKept(key: VerifierKey, kept: KeptCheckpoint | undefined): Finding[] {
  const opened = kept && openCheckpoint(kept.message, key);
  if (opened === undefined || 'checkpoint' in opened) return [];
  const words = `the log or its key was replaced: the checkpoint of the last run was rejected (${opened.refused})`;
  return [{ code: 'signature_wrong', seal: null, message: words }];
}

function checkStart(seal: Seal, { createdAt }: LogOwner): Finding[] {
  if (seal.index !== 0 || seal.from === createdAt) return [];
  const message = `the log starts at ${seal.from}, but the tenant was created at ${createdAt}`;
  return [{ code: 'seal_broken', seal: 0, message }];
}

function checkBefore({ createdAt }: LogOwner, rows: readonly Entry[]): Finding[] {
  if (rows.length === 0) return [];
  const ids = rows.slice(0, 5).map(({ id }) => id);
  const message = `${rows.length === 1 ? '1 event is' : `${rows.length} events are`} dated before the tenant was created at ${createdAt}: ${ids.join(', ')}`;
  return [{ code: 'row_added', seal: null, message }];
}

async function compareUsage(service: EncryptionService, owner: LogOwner, counts: OperationCounts): Promise<Finding[]> {
  const findings: Finding[] = [];
  const thisMonth = new Date().toISOString().slice(0, 7);
  for (let period = owner.createdAt.slice(0, 7); period < thisMonth; period = monthAfter(period)) {
    findings.push(...counts.compare(period, await service.readUsage({ period })));
  }
  return findings;
}

function monthAfter(period: string): string {
  const [year = 0, month = 0] = period.split('-').map(Number);
  return new Date(Date.UTC(year, month)).toISOString().slice(0, 7);
}
