import { consoleRoutes } from '../console/routes.ts';
import { startRoutes } from '../start.ts';

startRoutes('console', consoleRoutes);
