import { containerRaces } from './containers.ts';
import { customerRaces } from './customers.ts';
import { deletionRaces } from './deletions.ts';
import { firewallRaces } from './firewalls.ts';
import { freeKeyRaces } from './free-key.ts';
import { freezingRaces } from './freezing.ts';
import { limitRaces } from './limits.ts';
import { memberRaces } from './members.ts';
import { monthCloseRaces } from './month-close.ts';
import { nameRaces } from './names.ts';
import { revocationRaces } from './revocation.ts';
import { rotationRaces } from './rotation.ts';
import { sealingRaces } from './sealing.ts';
import { signInRaces } from './sign-in.ts';
import { testRaces } from './test-races.ts';

const { RACE_ROUNDS } = process.env;

/**
 * Races of close-month and seal-audit come first, because these functions process every tenant that other races make.
 */
const RACES = [
  ...monthCloseRaces,
  ...sealingRaces,
  ...customerRaces,
  ...signInRaces,
  ...memberRaces,
  ...nameRaces,
  ...freeKeyRaces,
  ...limitRaces,
  ...deletionRaces,
  ...rotationRaces,
  ...freezingRaces,
  ...revocationRaces,
  ...containerRaces,
  ...firewallRaces,
];

// `npm run drill -- races` sets 300 rounds with other start times.
testRaces(RACES, Number(RACE_ROUNDS || 0));
