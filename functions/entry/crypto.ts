import { loadKms } from '../../shared/kms/load-kms.ts';
import { openProcess, serveGroups } from '../compose/process.ts';
import { openServices } from '../compose/services.ts';
import { crypto } from '../crypto/routes.ts';

serveGroups(openServices(openProcess('crypto'), { loadKms }), crypto);
