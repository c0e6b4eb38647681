import { loadKms } from '../../shared/kms/load-kms.ts';
import { openStore } from '../../shared/store/open-store.ts';
import { openSigner } from '../compose/parts.ts';
import { openProcess, serveJob } from '../compose/process.ts';
import { sealAudit } from '../scheduled/seal-audit.ts';

const own = openProcess('seal-audit');
serveJob({ ...own, store: openStore(own.config), signer: openSigner(own.config, loadKms) }, sealAudit);
