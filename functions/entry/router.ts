import { everyRoute } from '../routes.ts';
import { JOBS } from '../scheduled/jobs.ts';
import { startRoutes } from '../start.ts';

startRoutes('router', everyRoute, JOBS);
