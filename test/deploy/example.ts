import { join } from 'node:path';
import { readDeployment } from '../../deploy/deployment.ts';
import { ROOT } from '../sources.ts';

/** The deployment in the docs, with console and billing. */
export const EXAMPLE = readDeployment(join(ROOT, 'deploy/deployment.example.json'));

/** The same deployment without console, billing and metrics. */
export const WITHOUT_CONSOLE = {
  ...EXAMPLE,
  identity: undefined,
  billing: undefined,
  consoleOrigin: undefined,
  metricsEndpoint: undefined,
};
