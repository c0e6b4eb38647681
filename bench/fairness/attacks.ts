import type { Attack } from './attack.ts';
import { changesOfAccomplices, garbageOfTwoTenants } from './attacks/accomplices.ts';
import { hotKey, minting, wrongSecrets } from './attacks/api-keys.ts';
import { rotationsOfManyKeys, rotationsOfOneKey, writesOfTheKms } from './attacks/key-changes.ts';
import { keyLists } from './attacks/key-lists.ts';
import { largeLists } from './attacks/large-lists.ts';
import { auditPages, consoleLists, unreadAnswers } from './attacks/pages.ts';
import { slowBodies, slowBodiesOfMany, slowWebhooks } from './attacks/slow-bodies.ts';
import { openApiDocument, readiness, unknownApiKeys } from './attacks/without-credential.ts';
import { strangers, unknownKids, wrongSecretsOfOne } from './attacks/workloads.ts';

/** All attacks, in the order in which `npm run drill -- fairness` makes them. */
export const ATTACKS: readonly Attack[] = [
  rotationsOfOneKey,
  rotationsOfManyKeys,
  writesOfTheKms,
  changesOfAccomplices,
  garbageOfTwoTenants,
  slowBodies,
  slowBodiesOfMany,
  wrongSecrets,
  minting,
  hotKey,
  keyLists,
  slowWebhooks,
  readiness,
  unknownApiKeys,
  openApiDocument,
  strangers,
  unknownKids,
  wrongSecretsOfOne,
  auditPages,
  consoleLists,
  unreadAnswers,
  // This attack is the last one, because its keys stay in the emulator and would slow down later attacks.
  largeLists,
];
