import { loadKms } from '../../shared/kms/load-kms.ts';
import { openProcess, serveGroups } from '../compose/process.ts';
import { openServices } from '../compose/services.ts';
import { reports } from '../reports/routes.ts';

// The route for the verifier key of the audit log reads the public key from the KMS.
serveGroups(openServices(openProcess('reports'), { loadKms }), reports);
