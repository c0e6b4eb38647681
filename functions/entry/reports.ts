import { reportsRoutes } from '../reports/routes.ts';
import { startRoutes } from '../start.ts';

startRoutes('reports', reportsRoutes);
