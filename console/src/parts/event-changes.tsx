import type { AuditEvent } from '../../../client/src/index.ts';
import { AUDIT } from '../words.ts';
import type { Named } from './names.ts';

interface EventChangesProps {
  readonly event: AuditEvent;
  readonly names: ReadonlyMap<string, Named>;
}

/** Lists the fields that an event changed, each with its value before and after. */
export function EventChanges({ event: { changes }, names }: EventChangesProps) {
  if (changes == null || changes.length === 0) return null;
  return (
    <table class="compact narrow">
      <caption class="unseen">{AUDIT.changes}</caption>
      <thead>
        <tr>
          <th scope="col">{AUDIT.field}</th>
          <th scope="col">{AUDIT.beforeAndAfter}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ field, before, after }) => (
          <tr key={field}>
            <th scope="row">
              <code>{field}</code>
            </th>
            <td>
              {shown(before, names)} → {shown(after, names)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function shown(value: unknown, names: ReadonlyMap<string, Named>): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return AUDIT.noValue;
  if (Array.isArray(value)) return value.map((one) => shown(one, names)).join(', ');
  return typeof value === 'string' ? (names.get(value)?.name ?? value) : JSON.stringify(value);
}
