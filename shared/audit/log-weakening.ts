import type { Id } from '../base/ids.ts';
import type { EventName } from '../events.ts';
import type { Services } from '../services.ts';
import type { SessionCaller } from '../tenancy/caller.ts';
import type { RequestOrigin } from './record.ts';

type Weakening = Extract<EventName, 'firewall opened' | 'API key access widened' | 'role raised' | 'member invited'>;

/** Operators see ids only. Must be called after the commit: a change that failed must not leave a line. */
export function logWeakening(
  { log }: Pick<Services, 'log'>,
  event: Weakening,
  { requestId, caller: { tenantId, userId } }: RequestOrigin<SessionCaller>,
  targetId: Id<string>,
): void {
  log.write(event, { request_id: requestId, tenant_id: tenantId, user_id: userId, target_id: targetId });
}
