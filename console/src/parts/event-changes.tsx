import type { AuditEvent } from '../../../client/src/index.ts';
import { AUDIT } from '../words.ts';
import { Name } from './name.tsx';
import type { Named } from './names.ts';

interface EventChangesProps {
  readonly event: AuditEvent;
  readonly names: ReadonlyMap<string, Named>;
}

/** Lists the fields that an event changed, each with its value before and after. A creation has no values before. */
export function EventChanges({ event: { operation, changes }, names }: EventChangesProps) {
  if (changes == null || changes.length === 0) return null;
  const isCreation = operation === 'invite_member' || operation.startsWith('create_');
  return (
    <table class="compact narrow">
      <caption class="unseen">{AUDIT.changes}</caption>
      <thead>
        <tr>
          <th scope="col">{AUDIT.field}</th>
          <th scope="col">{isCreation ? AUDIT.value : AUDIT.beforeAndAfter}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ field, before, after }) => (
          <tr key={field}>
            <th scope="row">
              <code>{field}</code>
            </th>
            <td>
              {!isCreation && [<Name key="before" text={shown(field, before, names)} />, ' → ']}
              <Name text={shown(field, after, names)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Without these fields, an API key has more rights, not fewer. */
const NO_RESTRICTION: Readonly<Record<string, string>> = AUDIT.noRestriction;

function shown(field: string, value: unknown, names: EventChangesProps['names']): string {
  if (value === null) return NO_RESTRICTION[field] ?? AUDIT.noValue;
  if (!Array.isArray(value)) return textOf(value, names);
  if (value.length === 0) return AUDIT.noValue;
  return value.map((one) => textOf(one, names)).join(field === 'federations' ? '; ' : ', ');
}

function textOf(value: unknown, names: EventChangesProps['names']): string {
  if (typeof value === 'string') return names.get(value)?.name ?? value;
  const { issuer, claims, sha256, count } = Object(value);
  if (claims !== undefined) {
    const required = Object.entries(claims).map(([name, claim]) => `${name} = ${JSON.stringify(claim)}`);
    return `${issuer} (${required.join(', ')})`;
  }
  return sha256 === undefined ? JSON.stringify(value) : AUDIT.tooLong(count, sha256);
}
