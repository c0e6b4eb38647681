import type { Code, Field, Operation, Reference, Shape } from './reference.ts';

/** Returns the parts of the reference that contain all words of a search. */
export function searchIn(reference: Reference, wanted: string): Pick<Reference, 'groups' | 'objects' | 'codes'> {
  const words = wanted.toLowerCase().split(/\s+/);
  const has = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word));
  const groups = reference.groups.map((group) => ({
    ...group,
    operations: group.operations.filter((operation) => has(textOfOperation(operation))),
  }));
  return {
    groups: groups.filter(({ operations }) => operations.length > 0),
    objects: reference.objects.filter((shape) => has(textOfShape(shape))),
    codes: reference.codes.filter((code) => has(textOfCode(code))),
  };
}

export const operationsIn = (groups: Reference['groups']): number =>
  groups.reduce((sum, { operations }) => sum + operations.length, 0);

function textOfOperation(operation: Operation): string {
  const { id, title, methods, path, description, parameters, body, answer, codes } = operation;
  const fields = [...parameters, ...body, ...answer.fields];
  return [id, title, ...methods.map((method) => `${method} ${path}`), description, namesOf(fields), answer.object ?? '']
    .concat(codes.map(({ code }) => code))
    .join('\n');
}

const textOfShape = ({ name, fields }: Shape): string => `${name}\n${namesOf(fields)}`;
const textOfCode = ({ code, status, meaning, action }: Code): string => [status, code, meaning, action].join('\n');
const namesOf = (fields: readonly Field[]): string => fields.map(({ name }) => name).join('\n');
