import type { Deployment } from '../deployment.ts';
import type { Step } from '../step.ts';

/** Where the deployment's own script has the host of the gateway, which exists by then. */
const API = 'https://$GATEWAY_HOST';

/** The console on Firebase Hosting, where the deployment has an identity provider and says where the console is. */
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
