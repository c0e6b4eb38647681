import { outcome } from '../../support/client.ts';
import { destroyDueKeys, sealAudit } from '../../support/steer.ts';
import type { Promises } from '../soak/promises.ts';
import type { Backup, StateAtLoss } from './before-loss.ts';
import { nameVersion } from './ciphertexts.ts';
import { type Ended, readFindings, readLost, runProgram } from './operator.ts';

/**
 * A mistake of the operator that makes the drill fail. Either the operator forgets to run `after-restore`, or keys are
 * destroyed before `check-store` has adopted versions.
 */
export type Forgotten = 'after-restore' | 'adopting first' | undefined;

interface Procedure {
  readonly backup: Backup;
  readonly destroys: boolean;
  readonly forgets: Forgotten;
  /** The file with the service's log. */
  readonly serviceLog: string;
  readonly promises: Promises;
}

const UNUSABLE = /^version-(destroyed|scheduled|missing|disabled)$/;
/** Matches a table row which shows that changes of one kind were made again. */
const APPLIED = /^\S.* [1-9]\d*(?: +\d+){3}$/m;

/**
 * Follows docs/restore.md on a service that was restored and still refuses all callers. Returns the output of the
 * programs, and the lost key versions.
 */
export async function makeConsistent(atLoss: StateAtLoss, procedure: Procedure) {
  const { stack, since, tenants, ciphertexts } = atLoss;
  const { promises, serviceLog, forgets } = procedure;
  for (const { tenant } of tenants) {
    const letIn = outcome(await tenant.api.send('GET', '/v1/keys'));
    promises.expect('no caller is let in before the store is consistent', letIn === '503 unavailable' ? [] : [letIn]);
  }
  const redone = forgets === 'after-restore' ? '' : (await redo(atLoss, procedure)).stdout;
  if (forgets === 'adopting first') await destroyDueKeys(stack);
  const checked = readFindings(await runProgram(stack, 'check-store', '--adopt', '--json', '--since', since));
  const restarted = await runProgram(stack, 'restart-logs', serviceLog);
  promises.expect('restart-logs succeeds', failures(restarted));
  await sealAudit(stack);
  const lost = new Set([
    ...readLost(redone).flatMap(({ keyId, version }) =>
      version === undefined ? ciphertexts.versionsOf(keyId) : [nameVersion(keyId, version)],
    ),
    ...checked.findings
      .filter(({ kind }) => UNUSABLE.test(kind))
      .map(({ about }) => nameVersion(String(about.key_id), Number(about.version))),
  ]);
  return { redone, checked, lost };
}

/**
 * Reapplies the changes that were made since the backup: first as a dry run, then really, then a second time, which
 * must change nothing.
 */
async function redo({ stack }: StateAtLoss, { backup, destroys, serviceLog, promises }: Procedure): Promise<Ended> {
  const args = ['--since', backup.time, '--service', stack.baseUrl, ...(destroys ? ['--destroy'] : []), serviceLog];
  const tried = await runProgram(stack, 'after-restore', '--dry-run', ...args);
  const ended = await runProgram(stack, 'after-restore', ...args);
  const again = await runProgram(stack, 'after-restore', ...args);
  promises.expect('after-restore makes every change since the backup again, exactly once', [
    ...[tried, ended, again].flatMap(failures),
    ...(tried.stdout === ended.stdout ? [] : ['the dry run shows different changes']),
    ...(APPLIED.test(ended.stdout) ? [] : ['no change was made']),
    ...(APPLIED.test(again.stdout) ? ['a second run makes a change'] : []),
  ]);
  return ended;
}

function failures({ code, stderr }: Ended): string[] {
  return code === 0 ? [] : [`it ended with ${code}: ${stderr}`];
}
