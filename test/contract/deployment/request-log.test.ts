import { beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { operate } from '../../support/operations.ts';
import { sendRaw } from '../../support/raw.ts';
import { startSecondService } from '../../support/second-service.ts';
import { Client, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
const line = z.record(z.string(), z.unknown());
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const PLAINTEXT = 'c2VjcmV0IHBsYWludGV4dA==';
const AAD = 'c2VjcmV0IGNvbnRleHQ=';

describe('the log line of a request', () => {
  let tenant: Tenant;
  let keyId: string;
  let printed: string;

  /** Returns the log lines of the request with this id. */
  const linesOf = (id: string) =>
    printed
      .split('\n')
      // When it starts, functions-framework prints a few lines that are not JSON.
      .filter((text) => text.startsWith('{'))
      .map((text) => line.parse(JSON.parse(text)))
      .filter(({ request_id }) => request_id === id);

  beforeAll(async () => {
    tenant = await makeTenant(stack);
    keyId = await tenant.createKey('wrapped');
    const service = await startSecondService(stack);
    const api = new Client(service, tenant.api.token);
    const body = { plaintext: PLAINTEXT, aad: AAD };
    const traced = (traceparent: string, id: string) => ({ headers: { traceparent, 'x-request-id': id } });
    await api.send('POST', `/v1/keys/${keyId}/encrypt`, body, traced(`00-${TRACE}-${SPAN}-01`, 'r-1'));
    await api.send('POST', `/v1/keys/${keyId}/encrypt?QUERY`, body, traced('HOSTILE', 'r-2'));
    await api.send('GET', `/v1/nothing/${keyId}`, undefined, { headers: { 'x-request-id': 'r-3' } });
    await sendRaw(service, 'GET /v1/keys', ['x-request-id: r-4', 'x-cloud-trace-context: HOSTILE'], '');
    await operate(api, keyId, 'decrypt', { ciphertext: 'HOSTILE' });
    await service.stop();
    printed = service.printed();
  });

  test('the log line of a request has the request id, route, outcome and trace in the fields that Cloud Logging expects', () => {
    expect(linesOf('r-1')).toEqual([
      {
        severity: 'INFO',
        message: 'request answered',
        request_id: 'r-1',
        method: 'POST',
        route: '/v1/keys/{id}/encrypt',
        status: 200,
        took_ms: expect.any(Number),
        'logging.googleapis.com/trace': `projects/demo-encryption/traces/${TRACE}`,
        'logging.googleapis.com/spanId': SPAN,
      },
    ]);
  });

  test('the log line of a request has an error code only for a failure, and omits an unknown route and a malformed trace', () => {
    const found = ['r-2', 'r-3', 'r-4'].map((id) => linesOf(id).map(({ took_ms, request_id, ...rest }) => rest));
    const common = { severity: 'INFO', message: 'request answered' };
    expect(found).toEqual([
      [{ ...common, method: 'POST', route: '/v1/keys/{id}/encrypt', status: 200 }],
      [{ ...common, method: 'GET', status: 404, code: 'not_found' }],
      [{ ...common, method: 'GET', route: '/v1/keys', status: 401, code: 'unauthorized' }],
    ]);
  });

  test('the log lines of requests contain no credentials, bodies, queries, ids in paths or malformed headers', () => {
    const token = tenant.api.token ?? '';
    for (const secret of [token, token.slice(-43), PLAINTEXT, AAD, 'QUERY', 'HOSTILE', keyId]) {
      expect(printed).not.toContain(secret);
    }
  });
});
