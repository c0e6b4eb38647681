import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { z } from 'zod';
import { portsFrom } from '../../emulators/stack/ports.ts';
import { pathOf } from '../child.ts';
import { environment, startService } from '../servers.ts';
import type { Attack } from './attack.ts';
import { makeOrdinaryTenant } from './ordinary.ts';
import type { Seen } from './report.ts';
import type { Addresses } from './tenant.ts';

/** As Google gives to a project unless it asks for more. */
const KMS_WRITES_PER_MINUTE = 100;
/** Ports of the stack's block that nothing else listens on. */
const [SERVICE_PORT, KMS_PORT] = [10, 11];
const WARM_UP_SECONDS = 2;

const answered = z.object({ answers: z.array(z.object({ outcome: z.string(), count: z.int() })) });

/** Makes one attack on a service that has just started, beside a tenant's ordinary traffic. */
export async function attackOnce(stack: Addresses, attack: Attack, seconds: number): Promise<Seen> {
  await using cleanup = new AsyncDisposableStack();
  const base = Number(new URL(stack.baseUrl).port);
  const kmsPort = base + KMS_PORT;
  const kms = fork(pathOf('fairness/kms.ts'), [String(kmsPort), String(KMS_WRITES_PER_MINUTE)]);
  cleanup.defer(() => end(kms));
  await message(kms);
  const service = await startService(
    {
      ...environment(base),
      KMS_EMULATOR_HOST: `127.0.0.1:${kmsPort}`,
      KMS_WRITES_PER_MINUTE: String(KMS_WRITES_PER_MINUTE),
      RATE_LIMIT: '',
    },
    base + SERVICE_PORT,
  );
  cleanup.defer(service.stop);
  const asked = {
    attack: attack.name,
    stack: { baseUrl: stack.baseUrl, controlUrl: stack.controlUrl },
    url: service.url,
    firestore: `127.0.0.1:${portsFrom(base).firestore}`,
  };
  const attacker = fork(pathOf('fairness/attacker.ts'), [JSON.stringify(asked)]);
  cleanup.defer(() => end(attacker));
  const ready = message(attacker);
  const attackSeconds = seconds * (attack.lasts ?? 1);
  const other = await makeOrdinaryTenant(
    stack,
    service.url,
    Math.ceil(WARM_UP_SECONDS + seconds + attackSeconds + seconds),
  );
  await ready;

  const warmUp = await other.send(WARM_UP_SECONDS);
  await warmUp.answered;
  const before = await other.send(seconds);
  attacker.send('begin');
  const during = await other.send(attackSeconds);
  const told = message(attacker);
  attacker.send('stop');
  const { answers } = answered.parse(await told);
  const after = await other.send(seconds);
  return {
    attack,
    other: { before: await before.answered, during: await during.answered, after: await after.answered },
    attacker: answers,
  };
}

/** The next message of a process. Throws when it ends first. */
async function message(child: ChildProcess): Promise<unknown> {
  const gone = new AbortController();
  const exited = () => gone.abort(new Error(`${child.spawnfile} ended`));
  child.once('exit', exited);
  try {
    const [told] = await once(child, 'message', { signal: gone.signal });
    return told;
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
