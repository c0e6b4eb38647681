import type { Answer, Key, Role } from '../../types.ts';
import type { Examination } from '../examination.ts';
import { codeOf, failedCall } from '../failed-call.ts';
import { fail, ok, type Verdict, warn } from '../finding.ts';

const MAY: Readonly<Record<Role, string>> = {
  owner: 'do everything',
  admin: 'do everything except managing members and the subscription',
  auditor: 'read everything and change nothing',
};

export async function checkRights({ caller, keys }: Examination): Promise<Verdict> {
  const outcome = await caller();
  if ('error' in outcome) {
    if (codeOf(outcome.error) !== 'no_tenant')
      return failedCall('The service could not report your rights', outcome.error);
    return fail(
      'You are signed in, but do not belong to a tenant.',
      'Run esk whoami or open the console: your first visit creates a tenant. If you were removed from a tenant, ask for a new invitation.',
    );
  }
  if (outcome.value.role !== null) return ok(`Your role is ${outcome.value.role}: you may ${MAY[outcome.value.role]}.`);
  const reached = await keys();
  return 'error' in reached
    ? failedCall('The service could not list your keys', reached.error)
    : rightsOf(outcome.value, reached.value);
}

function rightsOf(
  { name, allowed_actions, key_ids, container_id }: Answer<'get_caller'>,
  keys: readonly Key[],
): Verdict {
  const who = `The API key ${JSON.stringify(name)}`;
  if (!allowed_actions?.length) return warn(`${who} has no allowed actions.`, 'Allow the actions that you need.');
  const may = `${who} may ${allowed_actions.join(', ')}`;
  const where = key_ids === null ? `in container ${container_id}` : 'of its key list';
  if (keys.length > 0) return ok(`${may} with ${keys.length} ${keys.length === 1 ? 'key' : 'keys'} ${where}.`);
  return warn(
    `${may}, but there is no key ${where}.`,
    key_ids === null
      ? 'Create a key there, or use an API key of another container.'
      : 'Correct the key list of the API key.',
  );
}
