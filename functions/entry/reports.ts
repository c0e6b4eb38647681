import { loadKms } from '../../shared/kms/load-kms.ts';
import { openParts, openSigner } from '../compose/parts.ts';
import { openProcess, serveGroups } from '../compose/process.ts';
import { reports } from '../reports/routes.ts';

const parts = openParts(openProcess('reports'));
serveGroups({ ...parts, logKey: openSigner(parts.config, loadKms) }, reports);
