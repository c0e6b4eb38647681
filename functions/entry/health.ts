import { Readiness } from '../../shared/http/readiness.ts';
import { loadKms } from '../../shared/kms/load-kms.ts';
import { openKms, openParts } from '../compose/parts.ts';
import { openProcess, serveGroups } from '../compose/process.ts';
import { health } from '../health/routes.ts';

const parts = openParts(openProcess('health'));
const readiness = new Readiness({ ...parts, ...openKms(parts.config, loadKms) }, parts.log);
// Other groups' routes are needed only for the OpenAPI document, so they are loaded when it is requested.
const openApi = async () => (await import('../routes.ts')).describeEveryRoute(parts.config);
serveGroups({ ...parts, readiness, openApi }, health);
