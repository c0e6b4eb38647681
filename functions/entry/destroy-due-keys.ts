import { loadKms } from '../../shared/kms/load-kms.ts';
import { destroyDueKeys } from '../../shared/lifecycle/destroy-due-keys.ts';
import { openProcess, serveJob } from '../compose/process.ts';
import { openServices } from '../compose/services.ts';

// Cloud Scheduler calls this function every five minutes.
serveJob(openServices(openProcess('destroy-due-keys'), { loadKms }), (services) => destroyDueKeys(services));
