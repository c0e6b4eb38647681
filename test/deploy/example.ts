import { join } from 'node:path';
import { readDeployment } from '../../deploy/deployment.ts';
import { ROOT } from '../sources.ts';

/** The deployment that the docs show: with console and billing. */
export const EXAMPLE = readDeployment(join(ROOT, 'deploy/deployment.example.json'));

/** The same with neither, and no metrics. */
export const WITHOUT_CONSOLE = {
  ...EXAMPLE,
  identity: undefined,
  billing: undefined,
  consoleOrigin: undefined,
  metricsEndpoint: undefined,
};
