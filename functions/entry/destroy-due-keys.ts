import { loadKms } from '../../shared/kms/load-kms.ts';
import { openStore } from '../../shared/store/open-store.ts';
import { openKms } from '../compose/parts.ts';
import { openProcess, serveJob } from '../compose/process.ts';
import { destroyDueKeys } from '../scheduled/destroy-due-keys.ts';

const own = openProcess('destroy-due-keys');
serveJob({ ...own, store: openStore(own.config), ...openKms(own.config, loadKms) }, destroyDueKeys);
