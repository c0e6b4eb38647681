import { loadKms } from '../../shared/kms/load-kms.ts';
import { openProcess, serveGroups } from '../compose/process.ts';
import { openServices } from '../compose/services.ts';
import { transit } from '../transit/routes.ts';

serveGroups(openServices(openProcess('transit'), { loadKms }), transit);
