import { openParts } from '../compose/parts.ts';
import { openProcess, serveGroups } from '../compose/process.ts';
import { console } from '../console/routes.ts';

serveGroups(openParts(openProcess('console')), console);
