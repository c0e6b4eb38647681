import { nameOf, type OpenApi, operationsOf, schemaOf } from './document.ts';

/** Returns the names of the object schemas that more than one operation or schema refers to. */
export function sharedShapes(document: OpenApi): ReadonlySet<string> {
  const { schemas } = document.components;
  const referring = [...operationsOf(document), ...Object.values(schemas)].flatMap((part) => [
    ...new Set(namesIn(part)),
  ]);
  const isShared = (name: string) => referring.filter((other) => other === name).length > 1;
  return new Set(
    Object.keys(schemas).filter((name) => isShared(name) && 'properties' in schemaOf(document, schemas[name])),
  );
}

function namesIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  return [nameOf(part) ?? [], ...Object.values(part).map(namesIn)].flat();
}
