import { setTimeout as pause } from 'node:timers/promises';
import {
  renameTenant,
  repeatSubscriptionEvent,
  useApiKey,
  useContainer,
  useFirewall,
  useInvitation,
  withdrawInvitation,
} from './administration.ts';
import { deleteAndRestore, rename, replaceUncertain, rotate, rotateByName, useShortLivedKey } from './changes.ts';
import { useKey, useTransit, useWrongValue } from './operations.ts';
import {
  CONSOLE_READS,
  DOCUMENTS,
  getKey,
  listKeys,
  PAYMENTS,
  previewRotation,
  REPORTS,
  readAudit,
  readKeyAudit,
  readReadiness,
  TRANSIT_READS,
} from './reads.ts';
import { makeRandom, type Step, type StepContext } from './step.ts';
import type { SoakTenant } from './tenants.ts';

const WORKERS = 12;
/** The average pause between two steps of a worker. */
const THINK_MS = 150;

type Weighted = readonly (readonly [weight: number, step: Step])[];

/** Steps that leave rows in the audit log. */
const RECORDED: Weighted = [
  [50, useKey],
  [20, useTransit],
  [2, useWrongValue],
  [3, rotate],
  [1, rotateByName],
  [2, rename],
  [2, deleteAndRestore],
  [1, useShortLivedKey],
  [1, replaceUncertain],
  [2, useApiKey],
  [2, useContainer],
  [1, useFirewall],
  [1, useInvitation],
  [1, withdrawInvitation],
  [1, renameTenant],
];

const each = (weight: number, steps: readonly Step[]): Weighted => steps.map((step) => [weight, step]);

const READS: Weighted = [
  [20, getKey],
  [15, listKeys],
  [6, previewRotation],
  [0.5, readAudit],
  [0.5, readKeyAudit],
  ...each(4, CONSOLE_READS),
  ...each(1, PAYMENTS),
  [1, repeatSubscriptionEvent],
  ...each(6, REPORTS),
  ...each(2, DOCUMENTS),
  [2, readReadiness],
  ...each(3, TRANSIT_READS),
];

/** The parts of a step's context that all workers and tenants share. */
type SharedParts = Pick<StepContext, 'sender' | 'people' | 'clock' | 'flaw'>;

/**
 * Lets workers take steps for random tenants until a time (from `performance.now()`). Each worker takes one step after
 * another. `recordedShare` is the share of the steps that leave rows in the audit log. Resolves when the last step has
 * ended.
 */
export async function sendTraffic(
  shared: SharedParts,
  tenants: readonly SoakTenant[],
  { until, seed, recordedShare }: { readonly until: number; readonly seed: number; readonly recordedShare: number },
): Promise<void> {
  const worker = async (n: number) => {
    const random = makeRandom(seed + n);
    const choose = (steps: Weighted): Step => {
      let left = random.next() * steps.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, step] of steps) {
        left -= weight;
        if (left < 0) return step;
      }
      return getKey;
    };
    while (performance.now() < until) {
      const step = choose(random.next() < recordedShare ? RECORDED : READS);
      await step({ ...shared, random, tenant: random.pick(tenants) });
      await pause(random.next() * 2 * THINK_MS);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, (_, n) => worker(n)));
}
