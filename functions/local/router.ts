/*
 * The router of the local stack: every route in one process with a movable clock, where the stack can run scheduled
 * functions. It is not deployed.
 */
import './short-deadlines.ts';
import { RateLimit } from '../../shared/auth/rate-limit.ts';
import { makeClock } from '../../shared/base/clock.ts';
import { MONOTONIC } from '../../shared/base/rate.ts';
import { closeMonths } from '../../shared/billing/close-month.ts';
import { loadStripe } from '../../shared/billing/load-stripe.ts';
import { STRIPE_SECRETS } from '../../shared/config.ts';
import { Readiness } from '../../shared/http/readiness.ts';
import { loadKms } from '../../shared/kms/load-kms.ts';
import { destroyDueKeys } from '../../shared/lifecycle/destroy-due-keys.ts';
import { sealAudit } from '../../shared/sealing/seal-audit.ts';
import type { Services } from '../../shared/services.ts';
import { openProcess, serveGroups } from '../compose/process.ts';
import { openServices } from '../compose/services.ts';
import { describeEveryRoute, GROUPS } from '../routes.ts';
import { followClock } from './date-header.ts';
import { makeMovableClock } from './movable-clock.ts';
import { acceptStackCommands } from './stack-commands.ts';

const UNLIMITED = { take: () => true };

const clock = makeMovableClock(makeClock());
followClock(clock);
const extras = { loadKms, loadStripe, describe: describeEveryRoute, secrets: STRIPE_SECRETS };
const opened = openServices(openProcess('router', clock), extras);
let readiness = new Readiness(opened, opened.log);
const usualRateLimit = process.env.RATE_LIMIT === 'off' ? UNLIMITED : opened.rateLimit;
let rateLimit: Services['rateLimit'] = usualRateLimit;
let rateLimitMs = 0;
const services: Services = {
  ...opened,
  rateLimit: { take: (owner) => rateLimit.take(owner) },
  readiness: { probe: () => readiness.probe() },
};

serveGroups(services, ...GROUPS);
acceptStackCommands({
  clock,
  // Forget the last result, so that the next readiness check detects a fault that a test has just injected.
  forgetReadiness: () => {
    readiness = new Readiness(opened, opened.log);
  },
  holdRateLimit: (ms) => {
    rateLimitMs = ms ?? 0;
    if (ms === null) rateLimit = usualRateLimit;
    else if (rateLimit === usualRateLimit) rateLimit = new RateLimit({ ...MONOTONIC, nowMs: () => rateLimitMs });
  },
  jobs: {
    'close-month': () => closeMonths(services),
    'destroy-due-keys': () => destroyDueKeys(services),
    'seal-audit': () => sealAudit(services),
  },
});
