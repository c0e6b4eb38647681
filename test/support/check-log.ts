import { readOwner, verifyLog } from '../../client/src/cli/sealed-log/verify.ts';
import { EncryptionService } from '../../client/src/service.ts';
import type { Client } from './tenant.ts';

/** What is wrong with the log of the session's tenant, as `esk audit verify` finds it, and how many entries it has. */
export async function checkLog(session: Client) {
  const service = serviceFor(session);
  const owner = await readOwner(service);
  const { findings, entries } = await verifyLog(service, owner, undefined, async () => undefined);
  return { findings, entries };
}

/** The library, with a session's access token. */
export function serviceFor({ stack, token }: Client): EncryptionService {
  return new EncryptionService({ url: stack.baseUrl, accessToken: () => token ?? '' });
}
