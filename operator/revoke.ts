/*
 * Revokes an API key without the console: node operator/revoke.ts API_KEY
 *
 * API_KEY is the ID of the API key, or the first part of its token: `esk_` and the next 26 characters, which secret
 * scanners and logs show. The next request with the API key is refused. Reads the service's environment, and prints one
 * line of JSON. Prints a line of the redo log to standard error: keep that line with the service's log.
 */
import { recordingChange } from '../shared/audit/record.ts';
import { makeClock } from '../shared/base/clock.ts';
import { type ApiKeyId, parseId } from '../shared/base/ids.ts';
import { makeLog } from '../shared/base/log.ts';
import { readConfig } from '../shared/config.ts';
import { openStore } from '../shared/store/open-store.ts';
import { API_KEYS } from '../shared/tenancy/api-key.ts';
import { revokeApiKey } from '../shared/tenancy/api-keys.ts';
import { parsePrefix } from '../shared/tenancy/token.ts';
import { readArguments, refuseUsage } from './usage.ts';
import { refuseWrongClock } from './wrong-clock.ts';

const PROGRAM = 'revoke';
const [named = ''] = readArguments(PROGRAM, { allowPositionals: true }).positionals;
const id = parseId<ApiKeyId>(named) ?? parsePrefix(named);
if (id === undefined) refuseUsage(PROGRAM, 'expected the id of an API key, or the first part of its token');
const log = makeLog((line) => process.stderr.write(line));
const services = { store: openStore(readConfig(process.env)), clock: makeClock(), log };
const apiKey = await services.store.find(API_KEYS, id);
if (apiKey === undefined) refuseUsage(PROGRAM, `no API key has the id ${id}`);
if (apiKey.revoked_at === null) {
  await refuseWrongClock(PROGRAM, services);
  const origin = { requestId: null, tenantId: apiKey.tenant_id };
  await revokeApiKey(services, apiKey.tenant_id, id, recordingChange(services.clock, origin, 'revoke_api_key'));
}
const answer = { tenant_id: apiKey.tenant_id, api_key_id: id };
process.stdout.write(`${JSON.stringify(answer)}\n`, () => process.exit(0));
