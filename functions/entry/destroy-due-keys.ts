import { KmsWrites } from '../../shared/kms/kms-writes.ts';
import { destroyDueKeys } from '../../shared/lifecycle/destroy-due-keys.ts';
import { openStore } from '../../shared/store/open-store.ts';
import { openKms } from '../compose/kms.ts';
import { openProcess, serveJob } from '../compose/process.ts';

const own = openProcess('destroy-due-keys');
const { config } = own;
const kmsWrites = new KmsWrites(config.kmsWritesPerMinute);
const needs = { ...own, store: openStore(config), kms: openKms(config), kmsWrites };
serveJob(own, () => destroyDueKeys(needs));
