import { openStore } from '../../shared/store/open-store.ts';
import { openProcess, serveJob } from '../compose/process.ts';
import { bindSealing } from '../compose/sealing.ts';

const own = openProcess('seal-audit');
serveJob(own, bindSealing(own, openStore(own.config)));
