import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { z } from 'zod';
import { portsOf } from '../../emulators/stack/ports.ts';
import { KMS_OPERATIONS_PER_SECOND } from '../../emulators/stack/service-environment.ts';
import { pathOf } from '../child.ts';
import { environment, sparePort, startService } from '../servers.ts';
import type { Addresses } from '../tenant.ts';
import type { Attack } from './attack.ts';
import { makeOrdinaryTenant } from './ordinary.ts';
import type { AttackResult } from './report.ts';

/** Google's default quota for a project. */
const KMS_WRITES_PER_MINUTE = 100;
const WARM_UP_SECONDS = 2;
/** The maximum heap, in MiB. V8 chooses the same limit in a container of 1,024 MiB, the memory of most functions. */
const HEAP = '--max-old-space-size=512';

const outcomes = z.array(z.object({ outcome: z.string(), count: z.int() }));
const answered = z.object({ answers: outcomes, victim: outcomes });

/** Attacks a newly started service while another tenant sends ordinary traffic. */
export async function attackOnce(stack: Addresses, attack: Attack, seconds: number): Promise<AttackResult> {
  await using cleanup = new AsyncDisposableStack();
  const kmsPort = sparePort(stack, 1);
  const kms = fork(pathOf('fairness/kms.ts'), [String(kmsPort), String(KMS_WRITES_PER_MINUTE)]);
  cleanup.defer(() => end(kms));
  await message(kms);
  const service = await startService(
    {
      ...environment(stack),
      KMS_EMULATOR_HOST: `127.0.0.1:${kmsPort}`,
      KMS_WRITES_PER_MINUTE: String(KMS_WRITES_PER_MINUTE),
      KMS_OPERATIONS_PER_SECOND,
      RATE_LIMIT: '',
    },
    sparePort(stack, 0),
    [HEAP],
  );
  cleanup.defer(service.stop);
  const options = {
    attack: attack.name,
    stack: { baseUrl: stack.baseUrl, controlUrl: stack.controlUrl },
    url: service.url,
    firestore: `127.0.0.1:${portsOf(stack).firestore}`,
  };
  const attacker = fork(pathOf('fairness/attacker.ts'), [JSON.stringify(options)]);
  cleanup.defer(() => end(attacker));
  await message(attacker);
  const attackSeconds = seconds * (attack.durationFactor ?? 1);
  const other = await makeOrdinaryTenant(
    stack,
    service.url,
    Math.ceil(WARM_UP_SECONDS + seconds + attackSeconds + seconds),
  );

  const warmUp = await other.send(WARM_UP_SECONDS);
  await warmUp.answered;
  const before = await other.send(seconds);
  attacker.send('begin');
  const during = await other.send(attackSeconds);
  const tallied = message(attacker);
  attacker.send('stop');
  const { answers, victim } = answered.parse(await tallied);
  const after = await other.send(seconds);
  return {
    attack,
    other: { before: await before.answered, during: await during.answered, after: await after.answered },
    attacker: answers,
    victim,
  };
}

/** Returns the next message of a process. Throws if the process ends first. */
async function message(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController();
  const exited = () => ended.abort(new Error(`${child.spawnfile} ended`));
  child.once('exit', exited);
  try {
    const [received] = await once(child, 'message', { signal: ended.signal });
    return received;
  } finally {
    child.off('exit', exited);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
