import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { AuditRowsFault } from '../../../emulators/stack/audit-rows-fault.ts';
import { startFaultProxy, targetOf } from '../../../emulators/stack/faults.ts';
import { portsOf } from '../../../emulators/stack/ports.ts';
import { outcome, send } from '../../support/client.ts';
import { encrypt, operate } from '../../support/operations.ts';
import { type Receiver, startReceiver } from '../../support/otlp-receiver.ts';
import { sendRaw } from '../../support/raw.ts';
import { startSecondService } from '../../support/second-service.ts';
import { Client, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
const ENDPOINT = 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT';
const PLAINTEXT = 'c2VjcmV0IHBsYWludGV4dA==';

/** A Node.js option that prints the URL of each metrics module that is loaded; without effect in a bundled service. */
const SPY = `--import=data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs';
  import { registerHooks } from 'node:module';
  const seen = /sdk-metrics|telemetry.opentelemetry\\.ts/;
  registerHooks({ load: (url, context, next) => {
    if (seen.test(url)) writeSync(1, 'LOADED ' + url + '\\n');
    return next(url, context);
  } });
`)}`;

let receiver: Receiver;
let tenant: Tenant;
let keyId: string;
let exitCode: number | null;
beforeAll(async () => {
  receiver = await startReceiver();
  tenant = await makeTenant(stack);
  keyId = await tenant.createKey('wrapped');
  const firestore = targetOf(`127.0.0.1:${portsOf(stack).firestore}`);
  const proxy = await startFaultProxy(firestore);
  const auditRows = new AuditRowsFault(proxy, firestore);
  const FIRESTORE_EMULATOR_HOST = `127.0.0.1:${proxy.port}`;
  const service = await startSecondService(stack, { [ENDPOINT]: receiver.url, FIRESTORE_EMULATOR_HOST });
  const api = new Client(service, tenant.api.token);
  await encrypt(api, keyId, PLAINTEXT);
  await encrypt(api, keyId, PLAINTEXT);
  await operate(api, keyId, 'decrypt', { ciphertext: PLAINTEXT });
  await operate(api, randomUUID(), 'decrypt', { ciphertext: PLAINTEXT });
  await api.send('POST', '/v1/keys', { name: 'measured', tier: 'software' });
  await api.send('GET', `/v1/keys/${keyId}?secret=QUERY`);
  await api.send('GET', `/v1/nothing/${keyId}`);
  await sendRaw(service, 'PROPFIND /v1/keys', [], '');
  await auditRows.set('down');
  expect(outcome(await operate(api, keyId, 'encrypt', { plaintext: PLAINTEXT }))).toBe('500 internal_error');
  exitCode = await service.stop();
  await Promise.all([auditRows.stop(), proxy.stop()]);
});
afterAll(() => receiver.stop());

test('a process sends its last metrics when it is asked to stop, with its function and instance, and exits with 0', () => {
  expect(exitCode).toBe(0);
  expect(receiver.bodies).not.toEqual([]);
  expect(receiver.resource()).toEqual({
    'service.namespace': 'encryption-service',
    'service.name': 'router',
    'service.instance.id': expect.stringMatching(/^[0-9a-f]{8}-/),
  });
});

test('every metric is sent with its kind and unit', () => {
  expect(receiver.instruments()).toEqual({
    'http.server.request.duration': 'histogram s',
    'http.server.active_requests': 'sum {request}',
    'encryption_service.operations': 'sum {operation}',
    'encryption_service.commit.failures': 'sum {commit}',
    'encryption_service.waiting': 'gauge {item}',
    'encryption_service.secret_checks.in_flight': 'gauge {check}',
  });
});

test('the metrics count operations, and nothing else, by name, tier and failure', () => {
  const counted = receiver
    .points('encryption_service.operations')
    .map(([attributes, count]) => [
      attributes['encryption_service.operation'],
      { tier: attributes['encryption_service.key.tier'], failure: attributes['error.type'] },
      count,
    ]);
  const expected = [
    ['encrypt', { tier: 'wrapped', failure: undefined }, 2],
    ['encrypt', { tier: 'wrapped', failure: 'internal_error' }, 1],
    ['decrypt', { tier: 'wrapped', failure: 'invalid_ciphertext' }, 1],
    ['decrypt', { tier: undefined, failure: 'not_found' }, 1],
    ['create_key', { tier: undefined, failure: undefined }, 1],
  ];
  expect(counted).toHaveLength(expected.length);
  expect(counted).toEqual(expect.arrayContaining(expected));
});

test.each<[number, string, string | undefined, number, string?]>([
  [2, 'POST', '/v1/keys/{id}/encrypt', 200],
  [1, 'POST', '/v1/keys/{id}/encrypt', 500, 'internal_error'],
  [1, 'POST', '/v1/keys/{id}/decrypt', 400],
  [1, 'GET', '/v1/keys/{id}', 200],
  [1, 'GET', undefined, 404],
  [1, '_OTHER', undefined, 405],
])(
  'the metrics record durations by method, route, status and failure: %d requests with method %s, route %s and status %d',
  (...[count, method, route, status, failure]) => {
    const attributes = {
      ...{ 'http.request.method': method, 'url.scheme': 'http', 'http.response.status_code': status },
      ...(route !== undefined && { 'http.route': route }),
      ...(failure !== undefined && { 'error.type': failure }),
    };
    expect(receiver.points('http.server.request.duration')).toContainEqual([attributes, count]);
  },
);

test('a failed commit to Firestore is counted, and once all requests are answered, the gauges of waiting items are 0', () => {
  expect(receiver.points('encryption_service.commit.failures')).toEqual([[{}, 1]]);
  expect(receiver.points('encryption_service.waiting')).toEqual(
    ['commit', 'decision', 'read'].map((queue) => [{ 'encryption_service.queue': queue }, 0]),
  );
  expect(receiver.points('encryption_service.secret_checks.in_flight')).toEqual([[{}, 0]]);
});

test('the metrics contain no id, credential, query or payload', () => {
  const body = receiver.bodies.join('');
  for (const secret of [keyId, tenant.id, tenant.apiKeyId, tenant.api.token ?? '', 'QUERY', PLAINTEXT, 'measured']) {
    expect(body).not.toContain(secret);
  }
});

test('a refused export of metrics is logged with its code, and the service answers and stops normally', async () => {
  const refusing = await startReceiver(403);
  onTestFinished(() => refusing.stop());
  const service = await startSecondService(stack, { [ENDPOINT]: refusing.url });
  expect((await send('GET', `${service.baseUrl}/health`)).status).toBe(200);
  expect(await service.stop()).toBe(0);
  expect(refusing.bodies).not.toEqual([]);
  expect(service.printed()).toMatch(/"severity":"WARNING","message":"metrics export failed","error":"\w+ 403/);
});

test('without a metrics endpoint no metrics module is loaded and nothing is sent', async () => {
  const idle = await startReceiver();
  onTestFinished(() => idle.stop());
  const other = { OTEL_EXPORTER_OTLP_ENDPOINT: new URL(idle.url).origin, NODE_OPTIONS: SPY };
  const off = await startSecondService(stack, other);
  await off.stop();
  expect(off.printed()).toContain('"request answered"');
  expect(off.printed()).not.toContain('LOADED');
  expect(idle.bodies).toEqual([]);
  // With an endpoint, the spy reports the metrics module, which shows that the check above can fail.
  const on = await startSecondService(stack, { [ENDPOINT]: idle.url, ...other });
  await on.stop();
  expect(on.printed()).toContain('LOADED');
  expect(idle.bodies).not.toEqual([]);
});
