import { loadKms } from '../../shared/crypto/load-kms.ts';
import { cryptoRoutes } from '../crypto/routes.ts';
import { startRoutes } from '../start.ts';

startRoutes('crypto', cryptoRoutes, { load: { kms: loadKms } });
