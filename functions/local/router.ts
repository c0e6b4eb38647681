/*
 * The router of the local stack: every route in one process with a movable clock, where the stack can run scheduled
 * functions. It is not deployed.
 */
import './other-deadlines.ts';
import { RateLimit } from '../../shared/auth/rate-limit.ts';
import { makeClock } from '../../shared/base/clock.ts';
import { MONOTONIC } from '../../shared/base/rate.ts';
import { loadStripe } from '../../shared/billing/load-stripe.ts';
import { Readiness } from '../../shared/http/readiness.ts';
import { loadKms } from '../../shared/kms/load-kms.ts';
import { openEverything } from '../compose/everything.ts';
import { openProcess, serveGroups } from '../compose/process.ts';
import type { Parts } from '../needs.ts';
import { GROUPS } from '../routes.ts';
import { JOBS } from '../scheduled/jobs.ts';
import { followClock } from './date-header.ts';
import { makeMovableClock } from './movable-clock.ts';
import { acceptStackCommands } from './stack-commands.ts';

const UNLIMITED = { take: () => true };

const clock = makeMovableClock(makeClock());
followClock(clock);
const opened = openEverything(openProcess('router', clock), { kms: loadKms, stripe: loadStripe });
let readiness = new Readiness(opened, opened.log);
const usualRateLimit: Parts['rateLimit'] = process.env.RATE_LIMIT === 'off' ? UNLIMITED : opened.rateLimit;
let rateLimit = usualRateLimit;
let rateLimitMs = 0;
const parts = {
  ...opened,
  rateLimit: { take: (...of: Parameters<RateLimit['take']>) => rateLimit.take(...of) },
  readiness: { probe: () => readiness.probe() },
};

serveGroups(parts, ...GROUPS);
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
    'close-month': () => JOBS['close-month'].run(parts),
    'destroy-due-keys': () => JOBS['destroy-due-keys'].run(parts),
    'seal-audit': () => JOBS['seal-audit'].run(parts),
  },
});
