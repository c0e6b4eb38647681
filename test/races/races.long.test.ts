import { customerRaces, revocationRaces, signInRaces } from './access.ts';
import { deletionRaces } from './deletions.ts';
import { freezingRaces } from './freezing.ts';
import { memberRaces } from './members.ts';
import { containerRaces, firewallRaces, freeKeyRaces, limitRaces, nameRaces } from './objects.ts';
import { rotationRaces } from './rotation.ts';
import { monthCloseRaces, sealingRaces } from './schedules.ts';
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
