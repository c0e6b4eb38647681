import type { Deployment } from '../deployment.ts';
import { BALANCER, BALANCER_SECRET_NAME, GATEWAY } from '../names.ts';
import { type Check, type Command, gcloud, named, type Step, type Update } from '../step.ts';
import { GATEWAY_CHECK } from './monitoring.ts';

/** Returns the address that callers use: the domain, or the gateway's own address, which an earlier step has found. */
export function apiAddress({ apiOrigin }: Deployment): string {
  return apiOrigin ?? 'https://$GATEWAY_HOST';
}

/**
 * Returns the steps that create the load balancer in front of the gateway, if there is a domain. They come before the
 * functions: until the certificate is valid, callers still need the gateway's own address, which the functions then
 * refuse.
 */
export function createBalancer({ project, region, apiOrigin }: Deployment): Step[] {
  if (apiOrigin === undefined) return [];
  const list = (...words: string[]) => gcloud('compute', ...words, 'list', named(BALANCER), '--format=value(name)');
  const create = (group: string, ...words: string[]) => gcloud('compute', group, 'create', BALANCER, ...words);
  const host = new URL(apiOrigin).host;
  const inRegion = `--region=${region}`;
  return [
    { what: 'address of the balancer', find: list('addresses'), create: create('addresses', '--global') },
    {
      what: 'secret of the balancer',
      find: gcloud('secrets', 'list', named(BALANCER_SECRET_NAME), '--format=value(name)'),
      create: ['node', 'deploy/balancer-secret.ts', `--secret=${BALANCER_SECRET_NAME}`],
    },
    {
      what: 'gateway behind the balancer',
      find: list('network-endpoint-groups'),
      create: [
        ...['gcloud', 'beta', 'compute', 'network-endpoint-groups', 'create', BALANCER, inRegion],
        ...['--network-endpoint-type=serverless', `--serverless-deployment-resource=${GATEWAY}`],
        '--serverless-deployment-platform=apigateway.googleapis.com',
      ],
    },
    {
      what: 'backend service with the secret header',
      create: [
        ...['node', 'deploy/backend-service.ts', `--project=${project}`, `--region=${region}`],
        ...[`--name=${BALANCER}`, `--secret=${BALANCER_SECRET_NAME}`],
      ],
    },
    {
      what: 'certificate of the domain',
      find: list('ssl-certificates'),
      create: create('ssl-certificates', `--domains=${host}`, '--global'),
    },
    {
      what: 'URL map',
      find: list('url-maps'),
      create: create('url-maps', `--default-service=${BALANCER}`, '--global'),
    },
    {
      what: 'HTTPS proxy',
      find: list('target-https-proxies'),
      create: create('target-https-proxies', `--url-map=${BALANCER}`, `--ssl-certificates=${BALANCER}`, '--global'),
    },
    {
      what: 'forwarding rule',
      find: list('forwarding-rules'),
      create: create(
        ...['forwarding-rules', '--global', '--load-balancing-scheme=EXTERNAL_MANAGED', `--address=${BALANCER}`],
        ...[`--target-https-proxy=${BALANCER}`, '--ports=443'],
      ),
    },
    certificateIsValid(),
  ];
}

function certificateIsValid(): Check {
  return {
    what: 'the certificate of the domain is valid; until then, the DNS record must lead to the address of the balancer',
    read: gcloud('compute', 'ssl-certificates', 'describe', BALANCER, '--global', '--format=value(managed.status)'),
    expects: 'ACTIVE',
  };
}

/** Returns the step that deletes the uptime check of the gateway's own address, which the functions refuse. */
export function replaceUptimeCheck({ apiOrigin }: Deployment): Update[] {
  if (apiOrigin === undefined) return [];
  const find: Command = gcloud(
    ...['monitoring', 'uptime', 'list-configs', `--filter=displayName="${GATEWAY_CHECK}"`],
    '--format=value(name.basename())',
  );
  return [
    {
      what: "no uptime check of the gateway's own address",
      find,
      update: gcloud('monitoring', 'uptime', 'delete', '$FOUND'),
    },
  ];
}

/**
 * Returns the steps that deploy the console. Returns no steps unless the deployment has an identity provider and a
 * console origin.
 */
export function deployConsole(deployment: Deployment): Step[] {
  const { project, identity, consoleOrigin, docs } = deployment;
  if (identity === undefined || consoleOrigin === undefined) return [];
  return [
    { what: 'Firebase in the project', create: ['node', 'deploy/add-firebase.ts', `--project=${project}`] },
    {
      what: 'console files',
      create: [
        'node',
        'deploy/hosting.ts',
        `--api=${apiAddress(deployment)}`,
        `--issuer=${identity.issuer}`,
        ...(docs ? ['--docs'] : []),
      ],
    },
    {
      what: 'console on Firebase Hosting',
      create: [
        ...['npx', 'firebase', 'deploy', '--only=hosting', '--config=dist/firebase.json'],
        ...[`--project=${project}`, '--non-interactive'],
      ],
    },
  ];
}
