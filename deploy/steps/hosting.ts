import type { Deployment } from '../deployment.ts';
import type { Step } from '../step.ts';

/** The URL of the API. An earlier step of the script sets `GATEWAY_HOST`. */
const API = 'https://$GATEWAY_HOST';

/**
 * Returns the steps that deploy the console. Returns no steps unless the deployment has an identity provider and a
 * console origin.
 */
export function deployConsole({ project, identity, consoleOrigin }: Deployment): Step[] {
  if (identity === undefined || consoleOrigin === undefined) return [];
  return [
    { what: 'Firebase in the project', create: ['node', 'deploy/add-firebase.ts', `--project=${project}`] },
    {
      what: 'console files',
      create: ['node', 'deploy/hosting.ts', `--api=${API}`, `--issuer=${identity.issuer}`],
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
