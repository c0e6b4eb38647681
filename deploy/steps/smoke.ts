import type { Deployment } from '../deployment.ts';
import { FUNCTION_NAMES, type FunctionName } from '../functions.ts';
import { GATEWAY, keyRingName, SMOKE_KEY, serviceName, TENANTS_RING } from '../names.ts';
import { type Change, type Condition, gcloud, named, type Reading, type Step } from '../step.ts';
import { apiAddress } from './balancer.ts';
import { closeService } from './closing.ts';

/** The script variable for the gateway's configuration before the deployment. It is empty if there was no open gateway. */
const CONFIG = 'PREVIOUS_CONFIG';

/** Returns the steps that read what callers are using before the deployment: revisions, and the open gateway's document. */
export function readPrevious({ region }: Deployment): Reading[] {
  return [
    {
      what: 'gateway configuration before this deployment',
      read: gcloud(
        // `labels.closed=false` would miss a gateway without the label, which `readClosed` takes for open.
        ...['api-gateway', 'gateways', 'list', `--location=${region}`, `${named(GATEWAY)} AND NOT labels.closed=true`],
        '--format=value(apiConfig)',
      ),
      keep: CONFIG,
      otherwise: '',
    },
    ...FUNCTION_NAMES.map((name) => ({
      what: `revision of ${name} before this deployment`,
      read: gcloud(
        ...['run', 'services', 'list', `--region=${region}`, `--filter=metadata.name="${serviceName(name)}"`],
        '--format=value(status.traffic[0].revisionName)',
      ),
      keep: revisionOf(name),
      otherwise: '',
    })),
  ];
}

/**
 * Returns the steps that test the open service as a caller. The first run creates the canary: a tenant whose API key is
 * a secret. If the test fails, the script undoes the deployment or closes the service.
 */
export function smokeTest(deployment: Deployment, onlyIf?: Condition): Step[] {
  const { project } = deployment;
  return [
    {
      what: 'canary tenant for the smoke test',
      find: gcloud('secrets', 'list', named(SMOKE_KEY), '--format=value(name)'),
      create: [
        ...['node', 'deploy/canary.ts', `--project=${project}`, `--secret=${SMOKE_KEY}`],
        `--key-ring=${keyRingName(deployment, TENANTS_RING)}`,
      ],
    },
    {
      what: 'API key of the canary',
      read: gcloud('secrets', 'versions', 'access', 'latest', `--secret=${SMOKE_KEY}`),
      keep: 'SMOKE_API_KEY',
      otherwise: '',
    },
    {
      what: 'smoke test',
      test: ['npm', 'run', '--silent', 'smoke', '--', apiAddress(deployment), '--keep'],
      needs: 'SMOKE_API_KEY',
      undoIf: `-n "$${CONFIG}"`,
      undo: returnToPrevious(deployment),
      undone: 'Callers use the previous revisions again',
      otherwise: closeService(deployment),
      otherwiseDone: 'The service is closed',
      ...(onlyIf && { onlyIf }),
    },
  ];
}

function returnToPrevious(deployment: Deployment): Change[] {
  const at = `--location=${deployment.region}`;
  return [
    {
      what: 'gateway with its previous configuration',
      create: gcloud('api-gateway', 'gateways', 'update', GATEWAY, `--api=${GATEWAY}`, `--api-config=$${CONFIG}`, at),
    },
    ...FUNCTION_NAMES.map((name): Change => {
      const revision = revisionOf(name);
      return {
        what: `traffic to the previous revision of ${name}`,
        create: gcloud(
          ...['run', 'services', 'update-traffic', serviceName(name), `--region=${deployment.region}`],
          `--to-revisions=$${revision}=100`,
        ),
        onlyIf: `-n "$${revision}"`,
      };
    }),
  ];
}

function revisionOf(name: FunctionName): `PREVIOUS_${string}` {
  return `PREVIOUS_${name.toUpperCase().replaceAll('-', '_')}`;
}
