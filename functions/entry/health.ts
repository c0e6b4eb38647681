import { loadKms } from '../../shared/crypto/load-kms.ts';
import { healthRoutes } from '../health/routes.ts';
import { startRoutes } from '../start.ts';

// The document alone needs the other groups.
startRoutes('health', (config) => healthRoutes(async () => (await import('../routes.ts')).describeEveryRoute(config)), {
  load: { kms: loadKms },
});
