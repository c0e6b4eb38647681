import type { ErrorCode } from '../errors.ts';
import { EncryptionServiceError } from '../errors.ts';
import type { Answer, Body, OperationId } from '../types.ts';
import type { Input } from './prepared.ts';

/** Performs another operation within the deadline of the call. */
export type Call = <Id extends OperationId>(operation: Id, input: Input<Id>) => Promise<Answer<Id>>;

/** How to find out, after a response was lost, whether the operation succeeded. */
export interface Recovery<Id extends OperationId> {
  /** Resolves to the lost answer, or to `undefined` if the first attempt had no effect. */
  readonly find: (call: Call, requestId: string) => Promise<{ readonly answer: Answer<Id> } | undefined>;
  /** The error codes that a retry can get if the first attempt succeeded. */
  readonly codesIfDone: readonly ErrorCode[];
}

/** For the restoration of a key: if a retry gets `not_pending_deletion`, the first attempt has restored the key. */
export function restoredKey(id: string): Recovery<'restore_key'> {
  return { codesIfDone: ['not_pending_deletion'], find: async (call) => ({ answer: await call('get_key', { id }) }) };
}

type Removal = 'destroy_key' | 'revoke_invitation' | 'revoke_api_key' | 'delete_container' | 'delete_firewall';

/** For removals: if a retry gets `not_found`, the first attempt has removed the object. */
export const removedObject: Recovery<Removal> = {
  codesIfDone: ['not_found'],
  find: async () => ({ answer: undefined }),
};

/** Like {@link removedObject}. A member who has left the tenant gets `no_tenant`. */
export const removedMember: Recovery<'remove_member'> = {
  codesIfDone: ['not_found', 'no_tenant'],
  find: async () => ({ answer: undefined }),
};

/** Finds the container with the requested name, which is unique in the tenant. */
export function createdContainer({ name }: Body<'create_container'>): Recovery<'create_container'> {
  return {
    codesIfDone: ['container_exists'],
    find: async (call) => {
      const containers = await call('list_containers', {});
      const found = containers.find((one) => one.name === name);
      return found && { answer: found };
    },
  };
}

/**
 * Checks that no API key with this name exists. If one exists, throws `answer_lost`, because the token is lost with the
 * response.
 */
export function createdApiKey({ name }: Body<'create_api_key'>): Recovery<'create_api_key'> {
  return {
    codesIfDone: [],
    find: async (call, requestId) => {
      const apiKeys = await call('list_api_keys', {});
      if (!apiKeys.some((one) => one.name === name)) return undefined;
      const message =
        'the response was lost, and an API key with this name exists; if this call created it, revoke it, because its token is lost';
      throw new EncryptionServiceError('answer_lost', message, { requestId });
    },
  };
}

/** Finds the firewall with the requested name and networks. */
export function createdFirewall({
  name,
  container_id,
  allowed_ips,
}: Body<'create_firewall'>): Recovery<'create_firewall'> {
  // A copy, because the caller may change the list during the call.
  const wanted = [allowed_ips].flat();
  return {
    codesIfDone: ['firewall_exists'],
    find: async (call) => {
      const container = container_id ?? (await defaultContainer(call));
      const firewalls = await call('list_firewalls', {});
      const found = firewalls.find((one) => one.name === name && one.container_id === container?.toLowerCase());
      const isSame = found !== undefined && networks(found.allowed_ips) === networks(wanted);
      return isSame ? { answer: found } : undefined;
    },
  };
}

async function defaultContainer(call: Call): Promise<string | undefined> {
  const containers = await call('list_containers', {});
  return containers.find((one) => one.is_default)?.id;
}

function networks(list: readonly string[]): string {
  return [...new Set(list.map(canonical))].toSorted().join();
}

/** Converts a network to the service's format: an address always has a length, and IPv6 is written as in RFC 5952. */
function canonical(network: string): string {
  const [address = '', length] = network.split('/');
  const host = `[${address}]`;
  if (!URL.canParse(`http://${host}`)) return `${address}/${length ?? 32}`;
  return `${new URL(`http://${host}`).hostname.slice(1, -1)}/${length ?? 128}`;
}

/**
 * The search in a key's audit log begins this many milliseconds before the key's creation, and ends as many after it.
 */
const MARGIN_MS = 60_000;

/** Finds the key that the call created although the response was lost. Its audit log contains the id of the request. */
export function createdKey({ name, tier }: Body<'create_key'>): Recovery<'create_key'> {
  return {
    codesIfDone: ['key_exists'],
    find: async (call, requestId) => {
      const keys = await call('list_keys', {});
      for (const key of keys.filter((one) => one.name === name && one.tier === tier)) {
        const since = new Date(key.created_at.getTime() - MARGIN_MS);
        const until = new Date(key.created_at.getTime() + MARGIN_MS);
        const events = await call('read_key_audit', { id: key.id, query: { since, until, limit: 1000 } });
        const isOurs = events.some((event) => event.operation === 'create_key' && event.request_id === requestId);
        if (isOurs) return { answer: key };
      }
      return undefined;
    },
  };
}
