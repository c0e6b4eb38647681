import { Readiness } from '../../shared/http/readiness.ts';
import { loadKms } from '../../shared/kms/load-kms.ts';
import { makeOpenApi } from '../compose/open-api.ts';
import { openKms, openParts } from '../compose/parts.ts';
import { openProcess, serveGroups } from '../compose/process.ts';
import { health } from '../health/routes.ts';

const parts = openParts(openProcess('health'));
const readiness = new Readiness({ ...parts, ...openKms(parts.config, loadKms) }, parts.log);
serveGroups({ ...parts, readiness, openApi: makeOpenApi(parts.config) }, health);
