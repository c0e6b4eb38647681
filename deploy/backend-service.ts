/*
 * Creates or updates the backend service of the load balancer:
 * node deploy/backend-service.ts --project ID --region REGION --name NAME --secret NAME
 *
 * The service sends the secret in a header with each request. gcloud reads the settings from standard input, so that the
 * secret never appears on a command line.
 */
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const option = { type: 'string' } as const;
const { values } = parseArgs({ options: { project: option, region: option, name: option, secret: option } });
const { project, region, name, secret } = values;
if (project === undefined || region === undefined || name === undefined || secret === undefined)
  throw new Error('--project, --region, --name and --secret are required');

const read = ['secrets', 'versions', 'access', 'latest', `--secret=${secret}`];
// The functions accept every secret in the list, but running functions do not know one that was just added at the end.
const [sent] = execFileSync('gcloud', read, { encoding: 'utf8' }).trim().split(',');
const settings = {
  name,
  loadBalancingScheme: 'EXTERNAL_MANAGED',
  protocol: 'HTTPS',
  customRequestHeaders: [`X-Balancer-Secret:${sent}`],
  backends: [
    {
      group: `https://www.googleapis.com/compute/v1/projects/${project}/regions/${region}/networkEndpointGroups/${name}`,
    },
  ],
};
// JSON is YAML.
execFileSync('gcloud', ['compute', 'backend-services', 'import', name, '--global', '--quiet'], {
  input: JSON.stringify(settings),
  stdio: ['pipe', 'inherit', 'inherit'],
});
