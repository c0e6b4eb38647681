import { FairQueue } from '../../shared/base/fair-queue.ts';
import { type BoundRoute, bind } from '../../shared/http/route.ts';
import { CREATIONS } from '../../shared/tenancy/places.ts';
import { cryptoRoutes } from '../crypto/routes.ts';
import { OpenApiDocument } from '../health/openapi.ts';
import type { Parts, Readiness } from '../health/readiness.ts';
import { healthRoutes } from '../health/routes.ts';
import { keysRoutes } from '../keys/routes.ts';
import { describeEveryRoute } from '../routes.ts';
import type { Base } from './base.ts';
import { bindBilling } from './billing.ts';
import { openChanging } from './changing.ts';
import { bindConsole } from './console.ts';
import { openKeyed } from './keyed.ts';
import { openMetered } from './metered.ts';
import { bindReports } from './reports.ts';
import { bindTransit } from './transit.ts';

/** The routes of every function in one process, where they share what they need. */
export function bindEverything(base: Base, makeReadiness: (parts: Parts) => Pick<Readiness, 'probe'>): BoundRoute[] {
  const { config } = base;
  const keyed = openKeyed(base);
  const creations = new FairQueue(CREATIONS);
  const changing = openChanging(keyed, creations);
  const metered = openMetered(keyed);
  return [
    ...bind(keysRoutes, changing),
    ...bind(cryptoRoutes, metered),
    ...bindReports(base),
    ...bindConsole(base, creations),
    ...bindBilling(base),
    ...bindTransit(changing, metered),
    ...bind(healthRoutes, {
      readiness: makeReadiness(keyed),
      document: new OpenApiDocument(() => describeEveryRoute(config)),
    }),
  ];
}
