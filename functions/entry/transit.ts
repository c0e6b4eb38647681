import { loadKms } from '../../shared/kms/load-kms.ts';
import { openKms, openParts } from '../compose/parts.ts';
import { openProcess, serveGroups } from '../compose/process.ts';
import { transit } from '../transit/routes.ts';

const parts = openParts(openProcess('transit'));
serveGroups({ ...parts, ...openKms(parts.config, loadKms) }, transit);
