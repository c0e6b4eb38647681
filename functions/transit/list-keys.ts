import { z } from 'zod';
import { API_KEY } from '../../shared/auth/admission.ts';
import { route } from '../../shared/http/pipeline.ts';
import { invalidQuery, query } from '../../shared/http/query.ts';
import type { ReportNeeds } from '../../shared/http/report-turns.ts';
import { listKeys } from '../../shared/keys/list.ts';
import { VAULT } from './dialect.ts';
import { envelope, envelopeOf } from './envelope.ts';

/** What Vault, written in Go, reads as true: https://pkg.go.dev/strconv#ParseBool */
const TRUE: readonly (string | undefined)[] = ['1', 't', 'T', 'TRUE', 'true', 'True'];

export const listKeysRoute = route({
  id: 'transit_list_keys',
  dialect: VAULT,
  method: 'GET',
  path: '/v1/transit/keys',
  summary: 'Transit: list the names of the live keys that the caller may see, oldest first',
  admits: API_KEY,
  takes: query(
    z.object({ list: z.string().describe('any true value: nothing else can be done here') }),
    (parameters) => {
      if (!TRUE.includes(parameters.get('list'))) throw invalidQuery('list must be true');
      const paging = ['after', 'limit'].find((name) => parameters.has(name));
      if (paging !== undefined) throw invalidQuery(`${paging} is not done here: a list has all keys`);
    },
  ),
  status: 200,
  answer: envelopeOf(z.object({ keys: z.array(z.string()) })),
  async handle({ store, reports }: ReportNeeds, { origin, caller }) {
    const keys = await reports.take(caller.tenantId, () => listKeys(store, caller));
    return envelope(origin.requestId, { keys: keys.map(({ name }) => name) });
  },
});
