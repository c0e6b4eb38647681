import type { Deployment } from '../deployment.ts';
import { secretsOf } from '../environment.ts';
import { FUNCTION_NAMES } from '../functions.ts';
import { secretName } from '../names.ts';
import { gcloud, named, type Step } from '../step.ts';

/**
 * Returns the steps that create the Stripe secrets, with a first version from the deployer's environment. A secret that
 * exists stays unchanged: people add later versions by hand, and the variable may hold an old value.
 */
export function createSecrets(deployment: Deployment): Step[] {
  const variables = new Set(FUNCTION_NAMES.flatMap((name) => secretsOf(deployment, name)));
  // The deployment itself makes the balancer's secret.
  variables.delete('BALANCER_SECRET');
  return [...variables].map((variable) => {
    const name = secretName(variable);
    return {
      what: `secret ${name}`,
      find: gcloud('secrets', 'list', named(name), '--format=value(name)'),
      create: gcloud('secrets', 'create', name, '--replication-policy=automatic', '--data-file=-'),
      input: variable,
    };
  });
}
