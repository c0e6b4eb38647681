import { loadKms } from '../../shared/kms/load-kms.ts';
import { openProcess, serveGroups } from '../compose/process.ts';
import { type Extras, openServices } from '../compose/services.ts';
import { health } from '../health/routes.ts';

// Other groups' routes are needed only for the OpenAPI document, so they are loaded when it is requested.
const describe: Extras['describe'] = async (config) => (await import('../routes.ts')).describeEveryRoute(config);
serveGroups(openServices(openProcess('health'), { loadKms, describe }), health);
