import { loadKms } from '../../shared/kms/load-kms.ts';
import { sealAudit } from '../../shared/sealing/seal-audit.ts';
import { openProcess, serveJob } from '../compose/process.ts';
import { openServices } from '../compose/services.ts';

// Cloud Scheduler calls this function every ten minutes. Only this function may sign with the audit key.
serveJob(openServices(openProcess('seal-audit'), { loadKms }), sealAudit);
