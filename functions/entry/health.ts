import { Policy } from '../../shared/auth/policy.ts';
import { bind } from '../../shared/http/route.ts';
import { openStore } from '../../shared/store/open-store.ts';
import { openKms } from '../compose/kms.ts';
import { openProcess, serveRoutes } from '../compose/process.ts';
import { OpenApiDocument } from '../health/openapi.ts';
import { Readiness } from '../health/readiness.ts';
import { healthRoutes } from '../health/routes.ts';

const own = openProcess('health');
const { config, log } = own;
const parts = { store: openStore(config), kms: openKms(config), policy: new Policy(config.policyDecisionUrl) };
serveRoutes(
  own,
  bind(healthRoutes, {
    readiness: new Readiness(parts, log),
    // The document alone needs the other groups.
    document: new OpenApiDocument(async () => (await import('../routes.ts')).describeEveryRoute(config)),
  }),
);
