import { z } from 'zod';
import type { ApiDocument } from './document.ts';

const oneOf = z.object({ enum: z.array(z.string()) });
const schemas = z.object({
  ApiKey: z.object({ properties: z.object({ allowed_actions: z.object({ items: oneOf }) }) }),
  AuditEvent: z.object({ properties: z.looseObject({ operation: oneOf }) }),
  Member: z.object({ properties: z.object({ role: oneOf }) }),
});

/** Returns the actions, the roles, and the operations and fields of audit events, in the document's order. */
export function constantsOf({ components }: ApiDocument) {
  const { ApiKey, AuditEvent, Member } = schemas.parse(components.schemas);
  return {
    actions: ApiKey.properties.allowed_actions.items.enum,
    roles: Member.properties.role.enum,
    operations: AuditEvent.properties.operation.enum,
    fields: Object.keys(Object(components.schemas.AuditEvent).properties),
  };
}
