import { keysRoutes } from '../keys/routes.ts';
import { startRoutes } from '../start.ts';

startRoutes('keys', keysRoutes);
