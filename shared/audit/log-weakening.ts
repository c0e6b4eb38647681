import type { Id } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import type { EventName } from '../events.ts';
import type { SessionCaller } from '../tenancy/caller.ts';
import type { RequestOrigin } from './record.ts';

type Weakening = Extract<EventName, 'firewall opened' | 'API key access widened' | 'role raised' | 'member invited'>;

/** Logs a change that widens access. Call it after the commit. Logs only ids, because operators read the log. */
export function logWeakening(
  { log }: { readonly log: Log },
  event: Weakening,
  { requestId, caller: { tenantId, userId } }: RequestOrigin<SessionCaller>,
  targetId: Id<string>,
): void {
  log.write(event, { request_id: requestId, tenant_id: tenantId, user_id: userId, target_id: targetId });
}
