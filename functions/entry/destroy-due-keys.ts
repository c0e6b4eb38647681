import { loadKms } from '../../shared/crypto/load-kms.ts';
import { destroyDueKeys } from '../../shared/keys/due.ts';
import { startJob } from '../start.ts';

startJob('destroy-due-keys', destroyDueKeys, { kms: loadKms });
