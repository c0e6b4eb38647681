import { readOwner, verifyLog } from '../../client/src/cli/sealed-log/verify.ts';
import { EncryptionService } from '../../client/src/service.ts';
import { parseCheckpoint } from '../../shared/transparency/checkpoint.ts';
import { parseNote } from '../../shared/transparency/note.ts';
import type { Client } from './tenant.ts';

/**
 * Verifies the log of the session's tenant as `esk audit verify` does. Returns the findings and the number of entries.
 * `message` is the saved checkpoint, if any. `acknowledged` lists the acknowledged restores.
 */
export async function checkLog(session: Client, message?: string, acknowledged: readonly string[] = []) {
  const service = serviceFor(session);
  const owner = await readOwner(service);
  const checkpoint = parseCheckpoint(parseNote(message ?? '')?.text ?? '');
  const kept = message === undefined || checkpoint === undefined ? undefined : { message, checkpoint };
  const { findings, entries } = await verifyLog(service, owner, kept, async () => undefined, acknowledged);
  return { findings, entries };
}

/** Returns an `EncryptionService` that sends the session's access token. */
export function serviceFor({ stack, token }: Client): EncryptionService {
  return new EncryptionService({ url: stack.baseUrl, accessToken: () => token ?? '' });
}
