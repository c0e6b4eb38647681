import type { Deployment } from '../deployment.ts';
import { secretsOf } from '../environment.ts';
import { FUNCTION_NAMES } from '../functions.ts';
import { secretName } from '../names.ts';
import { gcloud, type Step } from '../step.ts';

/**
 * Returns the steps that create the Stripe secrets. The first version of each secret comes from the deployer's
 * environment. People add later versions by hand.
 */
export function createSecrets(deployment: Deployment): Step[] {
  const variables = new Set(FUNCTION_NAMES.flatMap((name) => secretsOf(deployment, name)));
  return [...variables].flatMap((variable) => {
    const name = secretName(variable);
    return [
      {
        what: `secret ${name}`,
        find: gcloud('secrets', 'describe', name, '--format=value(name)'),
        create: gcloud('secrets', 'create', name, '--replication-policy=automatic'),
      },
      {
        what: `first version of secret ${name}`,
        find: gcloud('secrets', 'versions', 'list', name, '--filter=state=ENABLED', '--format=value(name)'),
        create: gcloud('secrets', 'versions', 'add', name, '--data-file=-'),
        input: variable,
      },
    ];
  });
}
