import { containerRaces } from '../../races/containers.ts';
import { deletionRaces } from '../../races/deletions.ts';
import { firewallRaces } from '../../races/firewalls.ts';
import { freeKeyRaces } from '../../races/free-key.ts';
import { holdRaces } from '../../races/hold.ts';
import { nameRaces } from '../../races/names.ts';
import { revocationRaces } from '../../races/revocation.ts';
import { rotationRaces } from '../../races/rotation.ts';
import { signInRaces } from '../../races/sign-in.ts';

/** One race of each kind; races.long.test.ts has all of them. */
const SOME = [
  signInRaces,
  nameRaces,
  freeKeyRaces,
  deletionRaces,
  rotationRaces,
  revocationRaces,
  containerRaces,
  firewallRaces,
].flatMap((races) => races.slice(0, 1));

// Three go through every delay.
holdRaces(SOME, 3);
