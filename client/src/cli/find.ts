import type { ApiKey, Container, Firewall, Key, Member } from '../types.ts';
import { EXIT, Failure } from './failure.ts';
import type { Connected } from './service.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

type Named = { readonly id: string; readonly name: string; readonly container_id?: string };

/** Returns the id of the key with this id or name. Throws a {@link Failure} if the name is unknown or ambiguous. */
export async function keyId(connected: Connected, text: string, container?: string): Promise<string> {
  return UUID.test(text) ? text.toLowerCase() : (await findKey(connected, text, container)).id;
}

export async function findKey(connected: Connected, text: string, container?: string): Promise<Key> {
  if (UUID.test(text)) return connected.service.getKey(text.toLowerCase());
  return findByName(connected, 'key', text, container, () => connected.service.listKeys());
}

/** Returns the ids of the keys with these ids or names. Throws a {@link Failure} if a name is unknown or ambiguous. */
export async function keyIds(connected: Connected, texts: readonly string[], container?: string): Promise<string[]> {
  let keys: Promise<Key[]> | undefined;
  const all = () => {
    keys ??= connected.service.listKeys();
    return keys;
  };
  const ids: string[] = [];
  for (const text of texts) {
    ids.push(UUID.test(text) ? text.toLowerCase() : (await findByName(connected, 'key', text, container, all)).id);
  }
  return ids;
}

export async function apiKeyId(connected: Connected, text: string, container?: string): Promise<string> {
  if (UUID.test(text)) return text.toLowerCase();
  const list = (): Promise<ApiKey[]> => connected.service.listApiKeys();
  return (await findByName(connected, 'API key', text, container, list)).id;
}

export async function firewallId(connected: Connected, text: string, container?: string): Promise<string> {
  if (UUID.test(text)) return text.toLowerCase();
  const list = (): Promise<Firewall[]> => connected.service.listFirewalls();
  return (await findByName(connected, 'firewall', text, container, list)).id;
}

export async function containerId(connected: Connected, text: string): Promise<string> {
  if (UUID.test(text)) return text.toLowerCase();
  const list = (): Promise<Container[]> => connected.service.listContainers();
  return (await findByName(connected, 'container', text, undefined, list)).id;
}

/** Returns the id of a member by user id or email. Throws a {@link Failure} if it is unknown or ambiguous. */
export async function userId(connected: Connected, text: string): Promise<string> {
  return UUID.test(text) ? text.toLowerCase() : (await findMember(connected, text)).user_id;
}

export async function findMember({ service, requestIds }: Connected, text: string): Promise<Member> {
  const wanted = text.toLowerCase();
  const members = await service.listMembers();
  const found = members.filter(({ user_id, email }) => user_id === wanted || email?.toLowerCase() === wanted);
  const [only, ...others] = found;
  if (only === undefined) {
    const what = UUID.test(text) ? 'user ID' : 'email address';
    const message = `no member has the ${what} ${JSON.stringify(text)}`;
    throw new Failure(EXIT.refused, 'not_found', message, requestIds.last);
  }
  if (others.length === 0) return only;
  const ids = found.map(({ user_id }) => user_id).join(', ');
  const message = `more than one member has the email address ${JSON.stringify(text)}; use one of the user IDs ${ids}`;
  throw new Failure(EXIT.refused, 'ambiguous', message, requestIds.last);
}

async function findByName<T extends Named>(
  connected: Connected,
  kind: string,
  name: string,
  container: string | undefined,
  list: () => Promise<readonly T[]>,
): Promise<T> {
  const within = container === undefined ? undefined : await containerId(connected, container);
  const all = await list();
  const found = all.filter((one) => one.name === name && (within === undefined || one.container_id === within));
  const [only, ...others] = found;
  const requestId = connected.requestIds.last;
  if (only === undefined) {
    const where = container === undefined ? '' : ` in container ${JSON.stringify(container)}`;
    throw new Failure(EXIT.refused, 'not_found', `no ${kind} is named ${JSON.stringify(name)}${where}`, requestId);
  }
  if (others.length === 0) return only;
  const ids = found.map(({ id }) => id).join(', ');
  const message = `more than one ${kind} is named ${JSON.stringify(name)}; add --container, or use one of the IDs ${ids}`;
  throw new Failure(EXIT.refused, 'ambiguous', message, requestId);
}
