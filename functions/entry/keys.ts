import { loadKms } from '../../shared/kms/load-kms.ts';
import { openProcess, serveGroups } from '../compose/process.ts';
import { openServices } from '../compose/services.ts';
import { keys } from '../keys/routes.ts';

serveGroups(openServices(openProcess('keys'), { loadKms }), keys);
