import { loadKms } from '../../shared/crypto/load-kms.ts';
import { keysRoutes } from '../keys/routes.ts';
import { startRoutes } from '../start.ts';

startRoutes('keys', keysRoutes, { load: { kms: loadKms } });
