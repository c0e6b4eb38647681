import { CHECKING } from '../operator/checks/part.ts';
import { UNWRAPS } from '../operator/checks/services.ts';
import { REQUESTS_OF_API_KEY, REQUESTS_OF_TENANT, REQUESTS_OF_USER } from '../shared/auth/in-flight.ts';
import { ISSUER_KEY_WAITS } from '../shared/auth/issuer-keys.ts';
import { DECISIONS } from '../shared/auth/policy.ts';
import { API_REQUESTS } from '../shared/auth/rate-limit.ts';
import { CHECKS_OF_API_KEY, SECRET_CHECKS, SECRET_HASHES } from '../shared/auth/secrets.ts';
import type { BatchLimits } from '../shared/base/batcher.ts';
import type { Turns } from '../shared/base/fair-queue.ts';
import type { Tokens } from '../shared/base/rate.ts';
import { CLOSING, COMPARING, COMPARISONS } from '../shared/billing/close-month.ts';
import { PAYMENT_PAGES } from '../shared/billing/payments.ts';
import { SUBSCRIPTION_UPDATES } from '../shared/billing/subscriptions.ts';
import { WEBHOOK_BODIES, WEBHOOKS } from '../shared/billing/webhooks.ts';
import { ApiError } from '../shared/errors.ts';
import { REPORT_ANSWERS, REPORT_READS } from '../shared/http/report-turns.ts';
import { KMS_READS } from '../shared/kms/inventory.ts';
import { KMS_OPERATIONS } from '../shared/kms/kms-operations.ts';
import { KMS_WRITES } from '../shared/kms/kms-writes.ts';
import { DESTRUCTION } from '../shared/lifecycle/destroy-due-keys.ts';
import { CHANGES_OF_KEY, KMS_CHANGES, STORE_CHANGES } from '../shared/lifecycle/key-changes.ts';
import { COMMITS } from '../shared/metering/group-commit.ts';
import { SEALING } from '../shared/sealing/seal-audit.ts';
import { READS } from '../shared/store/store.ts';
import { CREATIONS } from '../shared/tenancy/slots.ts';

/** Everything that waits, by the name of the value that limits it. */
export const WAITS: Readonly<Record<string, Turns | Tokens | BatchLimits>> = {
  REQUESTS_OF_API_KEY,
  REQUESTS_OF_USER,
  REQUESTS_OF_TENANT,
  API_REQUESTS,
  READS,
  CHECKS_OF_API_KEY,
  SECRET_CHECKS,
  ISSUER_KEY_WAITS,
  DECISIONS,
  COMMITS,
  KMS_OPERATIONS,
  CHANGES_OF_KEY,
  KMS_CHANGES,
  STORE_CHANGES,
  KMS_WRITES,
  CREATIONS,
  SECRET_HASHES,
  REPORT_READS,
  REPORT_ANSWERS,
  WEBHOOKS,
  WEBHOOK_BODIES,
  SUBSCRIPTION_UPDATES,
  PAYMENT_PAGES,
  DESTRUCTION,
  SEALING,
  CLOSING,
  COMPARING,
  COMPARISONS,
  CHECKING,
  UNWRAPS,
  KMS_READS,
};

/** Returns the rows of the table: what waits, by whom, how many at a time, how many wait how long, and what follows. */
export function waitRows(): string[][] {
  return Object.values(WAITS).map((wait) => {
    const { what, owner } = wait;
    if ('asksPerCall' in wait) {
      const { inFlight, asksPerCall, waitMs, past } = wait;
      return [
        what,
        owner,
        `${inFlight} ${inFlight === 1 ? 'call' : 'calls'}, each with up to ${number(asksPerCall)}`,
        `any number; ${time(waitMs)}`,
        past,
      ];
    }
    const past = wait.bound === undefined ? '' : refusal(wait.bound.refuse(false));
    if ('limit' in wait) return [what, owner, wait.limit, waitOf(undefined, wait.bound?.waitMs), past];
    return [what, owner, atOnce(wait), waitOf(wait.bound?.waitingPerOwner, wait.bound?.waitMs), past];
  });
}

function atOnce({ owner, running, runningPerOwner }: Turns): string {
  if (running === runningPerOwner) return number(running);
  const each = `${number(runningPerOwner)} per ${owner}`;
  return running === Number.POSITIVE_INFINITY ? each : `${number(running)}; ${each}`;
}

function waitOf(waiting = Number.POSITIVE_INFINITY, waitMs = Number.POSITIVE_INFINITY): string {
  if (waitMs === 0) return 'nothing waits';
  const howMany = waiting === Number.POSITIVE_INFINITY ? 'any number' : number(waiting);
  return waitMs === Number.POSITIVE_INFINITY ? `${howMany}; any time` : `${howMany}; ${time(waitMs)}`;
}

function refusal(error: Error): string {
  return error instanceof ApiError ? `\`${error.status} ${error.code}\`: ${error.message}` : error.message;
}

function number(count: number): string {
  return count.toLocaleString('en-US');
}

function time(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`;
}
