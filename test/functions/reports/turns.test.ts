import { expect, test } from 'vitest';
import { z } from 'zod';
import { everyRoute } from '../../../functions/routes.ts';
import type { Description } from '../../../shared/http/route.ts';

const routes = everyRoute({ identity: true, billing: true, transit: true, sealing: true });
const reading = routes.filter(({ method, credential }) => method === 'GET' && credential !== 'none');

const ids = (some: readonly Description[]) => some.map(({ id }) => id).sort();

/** Whether a route answers with a list or a report. Short lists inside a single object do not count. */
function lists({ path, answer, paged }: Description): boolean {
  if (paged || answer instanceof z.ZodArray) return true;
  return !path.includes('{') && containsList(answer);
}

function containsList(schema: unknown): boolean {
  if (schema instanceof z.ZodNullable) return containsList(schema.unwrap());
  if (schema instanceof z.ZodObject) {
    // A Transit answer's warnings are few.
    return Object.entries(schema.shape).some(([name, of]) => name !== 'warnings' && containsList(of));
  }
  return (
    schema instanceof z.ZodArray && (schema.element instanceof z.ZodObject || schema.element instanceof z.ZodString)
  );
}

test('one tenant’s simultaneous requests are limited for exactly the routes that answer with a list or a report', () => {
  expect(ids(reading.filter(lists))).toEqual(ids(routes.filter(({ isReport }) => isReport)));
  const known = [
    'list_api_keys',
    'list_firewalls',
    'read_audit',
    'read_key_audit',
    'read_statement',
    'transit_list_keys',
  ];
  expect(ids(reading.filter(lists))).toEqual(expect.arrayContaining(known));
});
