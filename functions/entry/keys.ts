import { loadKms } from '../../shared/kms/load-kms.ts';
import { openKms, openParts } from '../compose/parts.ts';
import { openProcess, serveGroups } from '../compose/process.ts';
import { keys } from '../keys/routes.ts';

const parts = openParts(openProcess('keys'));
serveGroups({ ...parts, ...openKms(parts.config, loadKms) }, keys);
