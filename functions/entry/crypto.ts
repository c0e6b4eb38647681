import { cryptoRoutes } from '../crypto/routes.ts';
import { startRoutes } from '../start.ts';

startRoutes('crypto', cryptoRoutes);
