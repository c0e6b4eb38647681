/*
 * Revokes an API key without the console: node operator/revoke.ts API_KEY
 *
 * API_KEY is its id, or the beginning of its token, `esk_` and the 26 characters after it: what a secret scanner or a log
 * tells. Its next request is refused. Prints one line of JSON. Takes the service's environment.
 */
import { parseArgs } from 'node:util';
import { makeClock } from '../shared/base/clock.ts';
import { type ApiKeyId, parseId } from '../shared/base/ids.ts';
import { readConfig } from '../shared/config.ts';
import { openStore } from '../shared/store/open-store.ts';
import { API_KEYS } from '../shared/tenancy/api-key.ts';
import { revokeApiKey } from '../shared/tenancy/api-keys.ts';
import { parsePrefix } from '../shared/tenancy/token.ts';

const [named = ''] = parseArgs({ allowPositionals: true }).positionals;
const id = parseId<ApiKeyId>(named) ?? parsePrefix(named);
if (id === undefined) throw new Error('neither the id of an API key nor the beginning of a token');
const needs = { store: openStore(readConfig(process.env)), clock: makeClock() };
const apiKey = await needs.store.find(API_KEYS, id);
if (apiKey === undefined) throw new Error('there is no such API key');
if (apiKey.revoked_at === null) await revokeApiKey(needs, apiKey.tenant_id, id);
const answer = { tenant_id: apiKey.tenant_id, api_key_id: id };
process.stdout.write(`${JSON.stringify(answer)}\n`, () => process.exit(0));
