import { ownBesetService } from '../../reliability/own-beset-service.ts';
import { holdFaults, holdKills } from '../../reliability/rules.ts';

/* One round of what crash.long.test.ts and fault-table.long.test.ts have many of. */
const beset = ownBesetService();

holdKills(beset, ['slow'], 1);
holdFaults(beset, [['kms', 'failing']]);
