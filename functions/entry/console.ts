import { openProcess, serveGroups } from '../compose/process.ts';
import { openServices } from '../compose/services.ts';
import { console } from '../console/routes.ts';

serveGroups(openServices(openProcess('console'), {}), console);
