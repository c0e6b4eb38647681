import { z } from 'zod';
import { API_KEY } from '../../shared/auth/admission.ts';
import { invalidQuery, query } from '../../shared/http/query.ts';
import { listKeys } from '../../shared/keys/list.ts';
import { needs } from '../needs.ts';
import { VAULT } from './dialect.ts';
import { envelope, envelopeOf } from './envelope.ts';

/** The texts that Vault accepts as true (Go's https://pkg.go.dev/strconv#ParseBool). */
const TRUE: readonly (string | undefined)[] = ['1', 't', 'T', 'TRUE', 'true', 'True'];

export const listKeysRoute = needs('store').route({
  id: 'transit_list_keys',
  dialect: VAULT,
  method: 'GET',
  path: '/v1/transit/keys',
  summary: 'Transit: list key names',
  description: 'Returns the names of all live keys that the API key can reach. Send `list=true`.',
  tag: 'Transit',
  admits: API_KEY,
  takes: query(
    z.object({
      list: z
        .string()
        .meta({ enum: TRUE, examples: ['true'] })
        .describe('Must be true.'),
    }),
    (parameters) => {
      if (!TRUE.includes(parameters.get('list'))) throw invalidQuery('list must be true');
      const paging = ['after', 'limit'].find((name) => parameters.has(name));
      if (paging !== undefined) throw invalidQuery(`${paging} is not supported: the list always contains all keys`);
    },
  ),
  status: 200,
  answer: envelopeOf(z.object({ keys: z.array(z.string()).describe('The names of the keys.') })),
  isReport: true,
  async handle({ store }, { origin, caller }) {
    const keys = await listKeys(store, caller);
    return envelope(origin.requestId, { keys: keys.map(({ name }) => name) });
  },
});
