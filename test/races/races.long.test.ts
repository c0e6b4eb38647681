import { boundRaces } from './bounds.ts';
import { containerRaces } from './containers.ts';
import { customerRaces } from './customers.ts';
import { deletionRaces } from './deletions.ts';
import { firewallRaces } from './firewalls.ts';
import { freeKeyRaces } from './free-key.ts';
import { testRaces } from './hold.ts';
import { memberRaces } from './members.ts';
import { monthCloseRaces } from './month-close.ts';
import { nameRaces } from './names.ts';
import { revocationRaces } from './revocation.ts';
import { rotationRaces } from './rotation.ts';
import { sealingRaces } from './sealing.ts';
import { signInRaces } from './sign-in.ts';

const { RACE_ROUNDS } = process.env;

/** Races of close-month and seal-audit come first, because these functions process every tenant that other races make. */
const RACES = [
  ...monthCloseRaces,
  ...sealingRaces,
  ...customerRaces,
  ...signInRaces,
  ...memberRaces,
  ...nameRaces,
  ...freeKeyRaces,
  ...boundRaces,
  ...deletionRaces,
  ...rotationRaces,
  ...revocationRaces,
  ...containerRaces,
  ...firewallRaces,
];

// Six rounds cover every pair of processes and every delay. `npm run drill -- races` runs hundreds and prints figures.
testRaces(RACES, Number(RACE_ROUNDS || 6), Boolean(RACE_ROUNDS));
