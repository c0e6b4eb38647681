import type { Member } from '../../../client/src/index.ts';
import { PATHS, pathOfApiKey, pathOfContainer, pathOfFirewall, pathOfKey } from '../address/paths.ts';
import { useAnswer } from '../service/answer.ts';
import { apiKeys, containers, firewalls, invitations, keys, members } from '../service/answers.ts';
import { currentSession } from '../session/session.ts';
import { AUDIT, MEMBERS } from '../words.ts';
import { shortened } from './id.tsx';

/** The name of an item and the path of its page. */
export interface Named {
  readonly name: string;
  readonly to: string;
}

/** Returns a person's name, else the email address, else the shortened id. */
export const personName = ({ user_id, email, name }: Pick<Member, 'user_id' | 'email' | 'name'>): string =>
  name ?? email ?? shortened(user_id);

/** Returns, by id, the names of all items and people that audit events can refer to. Deleted items are missing. */
export function useNames(): ReadonlyMap<string, Named> {
  const { value: allKeys = [] } = useAnswer(keys.of());
  const { value: allApiKeys = [] } = useAnswer(apiKeys.of());
  const { value: places = [] } = useAnswer(containers.of());
  const { value: walls = [] } = useAnswer(firewalls.of());
  const { value: people = [] } = useAnswer(members.of());
  const { value: invited = [] } = useAnswer(invitations.of());
  const session = currentSession();
  return new Map([
    ...allKeys.map(({ id, name }) => [id, { name, to: pathOfKey(id) }] as const),
    ...allApiKeys.map(({ id, name }) => [id, { name, to: pathOfApiKey(id) }] as const),
    ...places.map(({ id, name }) => [id, { name, to: pathOfContainer(id) }] as const),
    ...walls.map(({ id, name }) => [id, { name, to: pathOfFirewall(id) }] as const),
    ...people.map((one) => [one.user_id, { name: personName(one), to: PATHS.members }] as const),
    ...invited.map(
      ({ id, note, role }) => [id, { name: note ?? MEMBERS.invitationAs(role), to: PATHS.members }] as const,
    ),
    ...(session.state === 'signed-in'
      ? [[session.me.tenant.id, { name: session.me.tenant.name ?? AUDIT.tenant, to: PATHS.members }] as const]
      : []),
  ]);
}
