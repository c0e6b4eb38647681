import { ownBesetService } from '../../reliability/own-beset-service.ts';
import { holdKills } from '../../reliability/rules.ts';

/* One round of what crash.long.test.ts has many of. */
holdKills(ownBesetService(), ['slow'], 1);
