import { fork } from 'node:child_process';
import { z } from 'zod';
import { portsOf } from '../../emulators/stack/ports.ts';
import { KMS_OPERATIONS_PER_SECOND } from '../../emulators/stack/service-environment.ts';
import { end, environment, nextMessage, pathOf, sparePort, startServer, startService } from '../servers.ts';
import { markdownTable } from '../table.ts';
import type { Addresses } from '../tenant.ts';
import { type Attack, type Outcome, showOutcomes, type Tally } from './attack.ts';
import { makeOrdinaryTenant } from './ordinary.ts';

/** The phases of a measurement. The other tenant sends requests before, during and after the attack. */
const PHASES = ['before', 'during', 'after'] as const;

/** The answers to the other tenant by phase, to the attacker, and to the workload whose API key is attacked. */
export interface AttackResult {
  readonly attack: Pick<Attack, 'name' | 'sends'>;
  readonly other: Readonly<Record<(typeof PHASES)[number], Tally>>;
  readonly attacker: readonly Outcome[];
  readonly victim: readonly Outcome[];
}

/** Returns the table for bench/RESULTS.md. */
export function report(results: readonly AttackResult[]): string {
  return markdownTable(
    ['attack', 'what is sent', 'p95 before', 'p95 during', 'p95 after', 'failed requests'],
    results.map((result) => {
      const p95 = PHASES.map((phase) => ms(result.other[phase].quantileMs(0.95)));
      return [result.attack.name, result.attack.sends, ...p95, showOutcomes(failuresOf(result))];
    }),
  );
}

/** Returns the failed requests of the other tenant during and after the attack, and those of the attacked workload. */
function failuresOf({ other: { during, after }, victim }: AttackResult): Outcome[] {
  return [...during.answers, ...after.answers, ...victim].filter(({ outcome }) => !/^2\d\d$/.test(outcome));
}

/** The limit for the other tenant's p95 during the attack, as a multiple of its p95 before the attack. */
const MAX_TIMES_SLOWER = 10;

/**
 * Returns a line for each way in which the attack did harm: a failed request of the other tenant during or after the
 * attack, a failed request of the attacked workload, or a p95 of the other tenant above its limit.
 */
export function harmOf(result: AttackResult): string[] {
  const { attack, other } = result;
  const { before, during } = other;
  const times = during.quantileMs(0.95) / before.quantileMs(0.95);
  return [
    ...failuresOf(result).map(({ outcome, count }) => `${attack.name}: ${count} × ${outcome}`),
    ...(times > MAX_TIMES_SLOWER ? [`${attack.name}: p95 ${times.toFixed(1)} times as long as before`] : []),
  ];
}

function ms(time: number): string {
  return Number.isNaN(time) ? '' : `${time.toFixed(0)} ms`;
}

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
  const kmsArgs = [pathOf('fairness/kms.ts'), String(kmsPort), String(KMS_WRITES_PER_MINUTE)];
  cleanup.defer((await startServer(kmsArgs, process.env)).stop);
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
  await nextMessage(attacker);
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
  const tallied = nextMessage(attacker);
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
