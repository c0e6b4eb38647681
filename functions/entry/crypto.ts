import { loadKms } from '../../shared/kms/load-kms.ts';
import { openKms, openParts } from '../compose/parts.ts';
import { openProcess, serveGroups } from '../compose/process.ts';
import { crypto } from '../crypto/routes.ts';

const parts = openParts(openProcess('crypto'));
serveGroups({ ...parts, ...openKms(parts.config, loadKms) }, crypto);
