import { expect, onTestFinished, test } from 'vitest';
import { startMetrics } from '../../shared/telemetry/opentelemetry.ts';
import { startReceiver } from '../support/otlp-receiver.ts';

test('requests in flight are counted by method from arrival to answer', async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const metrics = startMetrics('router', receiver.url, { write() {} });
  for (const method of ['GET', 'POST', 'POST', 'PROPFIND', undefined]) metrics.began(method);
  metrics.answered({ method: 'GET', route: '/v1/keys', status: 200, code: undefined, took_ms: 1 });
  metrics.answered({ method: undefined, route: undefined, status: 404, code: 'not_found', took_ms: 1 });
  await metrics.end();
  const of = (method: string) => ({ 'http.request.method': method, 'url.scheme': 'http' });
  expect(receiver.points('http.server.active_requests')).toEqual([
    [of('GET'), 0],
    [of('POST'), 2],
    [of('_OTHER'), 1],
  ]);
});
