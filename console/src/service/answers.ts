import { type Billing, EncryptionServiceError } from '../../../client/src/index.ts';
import { service } from '../session/session.ts';
import { Answers, useAnswer } from './answer.ts';
import { periodOf } from './month.ts';

export const keys = new Answers(() => service().listKeys());
export const key = new Answers((id: string) => service().getKey(id));
export const apiKeys = new Answers(() => service().listApiKeys());
export const apiKey = new Answers((id: string) => service().getApiKey(id));
export const containers = new Answers(() => service().listContainers());
export const container = new Answers((id: string) => service().getContainer(id));
export const firewalls = new Answers(() => service().listFirewalls());
/** The issuers of ID tokens that the deployment accepts from workloads. */
export const workloadIssuers = new Answers(async () => (await service().signIn()).workload_issuers);
export const firewall = new Answers((id: string) => service().getFirewall(id));

/** The signed-in person as the service sees them, with the address of their requests. */
export const caller = new Answers(() => service().getCaller());
export const members = new Answers(() => service().listMembers());
export const invitations = new Answers(() => service().listInvitations());
export const invitation = new Answers((token: string) => service().previewInvitation(token));
export const rotation = new Answers((id: string) => service().previewRotation(id));
/** The ids of all API keys that a person created, including revoked ones. They are read from the audit log. */
export const createdApiKeys = new Answers(async (userId: string): Promise<string[]> => {
  const found: string[] = [];
  const created = { operation: 'create_api_key', result: 'success', user_id: userId, limit: 1000 } as const;
  for await (const { target_id } of service().readAudit(created)) if (target_id !== null) found.push(target_id);
  return found;
});

/** The id of the person who created each API key, by the id of the API key. They are read from the audit log. */
export const apiKeyCreators = new Answers(async (): Promise<ReadonlyMap<string, string>> => {
  const found = new Map<string, string>();
  const created = { operation: 'create_api_key', result: 'success', limit: 1000 } as const;
  for await (const { target_id, user_id } of service().readAudit(created)) {
    if (target_id !== null && user_id !== null) found.set(target_id, user_id);
  }
  return found;
});

/** The time at which an API key last used a key, read from the audit log. `null` if it never used the key. */
export const lastUse = new Answers(async (keyId: string, apiKeyId: string): Promise<Date | null> => {
  const used = { key_id: keyId, api_key_id: apiKeyId, result: 'success', limit: 1 } as const;
  const { value } = await service().readAudit(used).next();
  return value === undefined ? null : value.ts;
});

const DAY_MS = 86_400_000;

/** The failed and refused operations of the last 24 hours. */
interface RecentErrors {
  readonly since: Date;
  /** At most {@link MOST_ERRORS}. */
  readonly count: number;
}

export const MOST_ERRORS = 100;
export const recentErrors = new Answers(async (): Promise<RecentErrors> => {
  const since = new Date(Date.now() - DAY_MS);
  let count = 0;
  for await (const _ of service().readAudit({ result: 'error', since, limit: MOST_ERRORS })) {
    count += 1;
    if (count === MOST_ERRORS) break;
  }
  return { since, count };
});

/**
 * Returns the period parameter for a request. Without one, the service uses its current month. The local clock is not
 * used, because it may be wrong.
 */
const inMonth = (period: string | undefined) => (period === undefined ? {} : { period });

/** The number of operations with each key in a month. */
export const usage = new Answers((period: string | undefined) => service().readUsage(inMonth(period)));
/** The number of operations on each day of a month, with one key or with all keys. */
export const dailyUsage = new Answers((period: string | undefined, keyId: string | undefined) =>
  service().readUsageDaily({ ...inMonth(period), ...(keyId !== undefined && { key_id: keyId }) }),
);
/** Whether the tenant has ever encrypted or wrapped anything. */
export const hasOperated = new Answers(async (): Promise<boolean> => {
  for (const operation of ['encrypt', 'wrap'] as const) {
    const { done } = await service().readAudit({ operation, result: 'success', limit: 1 }).next();
    if (done !== true) return true;
  }
  return false;
});

export const statement = new Answers((period: string | undefined) => service().readStatement(inMonth(period)));

/** The tenant's billing, or `null` if the deployment has no billing. */
export const billing = new Answers(async (): Promise<Billing | null> => {
  try {
    return await service().readBilling();
  } catch (error) {
    if (error instanceof EncryptionServiceError && error.code === 'not_found') return null;
    throw error;
  }
});

/** Loads every answer again that a change to a key can affect. Call it after such a change. */
export function keysChanged(): void {
  for (const answers of [keys, key, rotation, usage, dailyUsage, statement]) answers.refresh();
}

export function apiKeysChanged(): void {
  for (const answers of [apiKeys, apiKey]) answers.refresh();
}

export function containersChanged(): void {
  for (const answers of [containers, container]) answers.refresh();
}

export function firewallsChanged(): void {
  for (const answers of [firewalls, firewall]) answers.refresh();
}

export function membersChanged(): void {
  for (const answers of [members, invitations]) answers.refresh();
}

/**
 * Returns the service's current month as `YYYY-MM`. Until the service has answered, returns the month of the local
 * clock.
 */
export function useCurrentPeriod(): string {
  const { value: billed } = useAnswer(statement.of(undefined));
  const { value: used } = useAnswer(dailyUsage.of(undefined, undefined));
  return billed?.period ?? used?.[0]?.day.slice(0, 7) ?? periodOf(new Date());
}
