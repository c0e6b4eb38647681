import type { DocumentedOperation } from './document.ts';

export function credentialOf(operation: DocumentedOperation): string {
  const { security } = operation;
  const accepted: string[] = [];
  const [apiKey] = security.flatMap(({ bearerAuth }) => (bearerAuth ? [bearerAuth] : []));
  if (apiKey !== undefined)
    accepted.push(apiKey[0] === undefined ? 'any API key' : `an API key with the action \`${apiKey[0]}\``);
  const people = security.flatMap(({ consoleAuth }) => (consoleAuth ? [consoleAuth] : []));
  const roles = people.flat().map((role) => `\`${role}\``);
  if (roles.length > 0) accepted.push(`a person with the role ${roles.join(' or ')}`);
  else if (people.length > 0)
    accepted.push(isForAnyPerson(operation) ? 'any signed-in person' : 'a person with any role');
  return accepted.length === 0 ? 'none' : accepted.join(', or ');
}

/** Returns whether a person without a tenant may also call the operation. */
export function isForAnyPerson({ security, responses }: DocumentedOperation): boolean {
  return security.length > 0 && !JSON.stringify(responses).includes('no_tenant');
}
