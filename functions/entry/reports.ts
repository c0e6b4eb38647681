import { openBase } from '../compose/base.ts';
import { openProcess, serveRoutes } from '../compose/process.ts';
import { bindReports } from '../compose/reports.ts';

const own = openProcess('reports');
serveRoutes(own, bindReports(openBase(own)));
