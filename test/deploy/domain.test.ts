import { expect, test } from 'vitest';
import { planDestruction } from '../../deploy/destroy.ts';
import { findDrift, readContext } from '../../deploy/drift/drift.ts';
import { secretsOf } from '../../deploy/environment.ts';
import { functionsOf } from '../../deploy/functions.ts';
import { planDeployment } from '../../deploy/plan.ts';
import { renderScript } from '../../deploy/script.ts';
import { EXAMPLE, gcloudWith, recordState, type State } from './recorded.ts';

const DOMAIN = { ...EXAMPLE, apiOrigin: 'https://api.example.com' };
const steps = planDeployment(DOMAIN);
const names = steps.map(({ what }) => what);
const script = renderScript(DOMAIN, steps);
const state = recordState(DOMAIN);

test('functions behind the gateway get the balancer’s secret from Secret Manager; scheduled functions do not', () => {
  for (const name of functionsOf('gateway')) expect(secretsOf(DOMAIN, name)).toContain('BALANCER_SECRET');
  for (const name of functionsOf('scheduler')) expect(secretsOf(DOMAIN, name)).not.toContain('BALANCER_SECRET');
  expect(script).toContain('BALANCER_SECRET=balancer-secret:latest');
});

test('the functions require the secret only after the certificate of the domain is valid', () => {
  const certificate = names.findIndex((what) => what.startsWith('the certificate of the domain is valid'));
  expect(certificate).toBeGreaterThan(names.indexOf('forwarding rule'));
  expect(names.indexOf('function keys')).toBeGreaterThan(certificate);
});

test('console, smoke test and uptime check use the domain, and nothing uses the gateway’s own address', () => {
  expect(script).toContain('--api=https://api.example.com');
  expect(script).toContain('npm run --silent smoke -- https://api.example.com --keep');
  expect(script).toContain('--resource-labels=host=api.example.com,');
  expect(script).not.toMatch(/(https:\/\/|host=)\$GATEWAY_HOST/);
  expect(script).toMatch(/gcloud monitoring uptime delete "?\$FOUND/);
});

test('the recorded deployment has no drift; without the secret header, it has', () => {
  const driftOf = (found: State) => findDrift(readContext(DOMAIN, gcloudWith(found)));
  expect(driftOf(state)).toEqual([]);
  const [backend] = [state['compute backend-services list']].flat();
  const without = { ...state, 'compute backend-services list': [{ ...Object(backend), customRequestHeaders: [] }] };
  const what = 'backend service with the secret header';
  expect(driftOf(without)).toEqual([{ what, setting: 'headers', expected: 'X-Balancer-Secret', found: '' }]);
});

test.for([
  ['compute url-maps', 'backendServices/encryption-api', 'backendServices/other', 'URL map service'],
  ['compute target-https-proxies', 'urlMaps/encryption-api', 'urlMaps/other', 'HTTPS proxy urlMap'],
  ['compute target-https-proxies', 'sslCertificates/encryption', 'sslCertificates/o', 'HTTPS proxy certificates'],
  ['compute forwarding-rules', '203.0.113.7', '203.0.113.8', 'forwarding rule address'],
  [
    'beta compute network-endpoint-groups',
    '"resource":"encryption"',
    '"resource":"other"',
    'gateway behind the balancer gateway',
  ],
] as const)('a part of the balancer that leads elsewhere is a difference (gcloud %s)', ([part, text, by, reported]) => {
  const answer = JSON.stringify(state[`${part} list`]);
  expect(answer).toContain(text);
  const planted = { ...state, [`${part} list`]: JSON.parse(answer.replace(text, by)) };
  const found = findDrift(readContext(DOMAIN, gcloudWith(planted)));
  expect(found.map(({ what, setting }) => `${what} ${setting}`)).toEqual([reported]);
});

test('--destroy deletes the parts of the balancer from the outside in', () => {
  const commands = planDestruction(readContext(DOMAIN, gcloudWith(state)), false).map(({ create }) => create.join(' '));
  const parts = commands.flatMap((command) => /^gcloud compute (\S+) delete encryption-api/.exec(command)?.[1] ?? []);
  expect(parts.join(' ')).toBe(
    'forwarding-rules target-https-proxies url-maps backend-services network-endpoint-groups ssl-certificates addresses',
  );
});

test('without a domain, there is no balancer, and callers use the gateway’s own address', () => {
  const plain = renderScript(EXAMPLE, planDeployment(EXAMPLE));
  expect(plain).not.toMatch(/BALANCER_SECRET|compute backend-services/);
  expect(plain).toContain('smoke -- "https://$GATEWAY_HOST" --keep');
});
