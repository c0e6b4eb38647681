import type { Deployment } from '../deployment.ts';
import type { Step } from '../step.ts';
import { apiAddress } from './balancer.ts';

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
