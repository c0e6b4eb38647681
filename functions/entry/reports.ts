import { loadKms } from '../../shared/kms/load-kms.ts';
import { openProcess, serveGroups } from '../compose/process.ts';
import { openServices } from '../compose/services.ts';
import { reports } from '../reports/routes.ts';

serveGroups(openServices(openProcess('reports'), { loadKms }), reports);
