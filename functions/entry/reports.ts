import { loadKms } from '../../shared/kms/load-kms.ts';
import { openProcess, serveGroups } from '../compose/process.ts';
import { openServices } from '../compose/services.ts';
import { reports } from '../reports/routes.ts';

// The KMS has the public key of the sealed audit log.
serveGroups(openServices(openProcess('reports'), { loadKms }), reports);
