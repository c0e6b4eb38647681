/*
 * The router as the local stack runs it: every route in one process, whose clock can be moved, and which the stack can have
 * run the scheduled functions. It is not among the functions that are deployed.
 */
import './short-deadlines.ts';
import { makeClock } from '../../shared/base/clock.ts';
import { closeMonths } from '../../shared/billing/close-month.ts';
import { KmsWrites } from '../../shared/kms/kms-writes.ts';
import { destroyDueKeys } from '../../shared/lifecycle/destroy-due-keys.ts';
import { openBase } from '../compose/base.ts';
import { openClosing } from '../compose/closing.ts';
import { bindEverything } from '../compose/everything.ts';
import { openKms } from '../compose/kms.ts';
import { openProcess, serveRoutes } from '../compose/process.ts';
import { bindSealing } from '../compose/sealing.ts';
import { type Parts, Readiness } from '../health/readiness.ts';
import { makeMovableClock } from './movable-clock.ts';
import { obeyStack } from './obey-stack.ts';

const UNLIMITED = { take: () => true };

const clock = makeMovableClock(makeClock());
const own = openProcess('router', clock);
const base = openBase(own, process.env.RATE_LIMIT === 'off' ? UNLIMITED : undefined);
const { config, store, log } = base;
let forget = () => {};

/** A readiness that can be told to forget what it found: whoever sets a fault wants to see it at once. */
function makeForgetfulReadiness(parts: Parts): Pick<Readiness, 'probe'> {
  let readiness = new Readiness(parts, log);
  forget = () => {
    readiness = new Readiness(parts, log);
  };
  return { probe: () => readiness.probe() };
}

serveRoutes(own, bindEverything(base, makeForgetfulReadiness));
const closing = openClosing(own, store);
const destruction = { ...base, kms: openKms(config), kmsWrites: new KmsWrites(config.kmsWritesPerMinute) };
obeyStack({
  clock,
  forgetReadiness: () => forget(),
  jobs: {
    'close-month': () => closeMonths(closing),
    'destroy-due-keys': () => destroyDueKeys(destruction),
    'seal-audit': bindSealing(base, store),
  },
});
