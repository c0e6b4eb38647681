import type { Deployment } from '../deployment.ts';
import type { Step } from '../step.ts';

/** An earlier step sets `GATEWAY_HOST` in the script. */
const API = 'https://$GATEWAY_HOST';

/** Returns no steps unless the deployment has an identity provider and a console origin. */
export function deployConsole({ project, identity, consoleOrigin }: Deployment): Step[] {
  if (identity === undefined || consoleOrigin === undefined) return [];
  return [
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
