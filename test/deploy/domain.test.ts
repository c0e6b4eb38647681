import { expect, test } from 'vitest';
import { planDestruction } from '../../deploy/destroy.ts';
import { readContext } from '../../deploy/drift/drift.ts';
import { secretsOf } from '../../deploy/environment.ts';
import { functionsOf } from '../../deploy/functions.ts';
import { planDeployment } from '../../deploy/plan.ts';
import { renderScript } from '../../deploy/script.ts';
import { DOMAIN, EXAMPLE, gcloudWith, recordState } from './recorded.ts';

const steps = planDeployment(DOMAIN);
const names = steps.map(({ what }) => what);
const script = renderScript(DOMAIN, steps);

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

test('--destroy deletes the parts of the balancer from the outside in', () => {
  const commands = planDestruction(readContext(DOMAIN, gcloudWith(recordState(DOMAIN))), false).map(({ create }) =>
    create.join(' '),
  );
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
