import { REFERENCE } from '../../words.ts';
import { Prose, Type } from './inline.tsx';
import type { Field } from './reference.ts';

interface FieldListProps {
  readonly fields: readonly Field[];
  /** Which fields are marked: the required fields of a request, or the optional fields of a response. */
  readonly marks?: 'required' | 'optional';
}

export function FieldList({ fields, marks }: FieldListProps) {
  const isMarked = ({ required }: Field): boolean => marks !== undefined && required === (marks === 'required');
  return (
    <dl class="reference-fields">
      {fields.map((field) => (
        <div key={field.name}>
          <dt>
            <code>{field.name}</code>{' '}
            <span class="small muted">
              <Type {...field} />
              {isMarked(field) && marks !== undefined && <>, {REFERENCE[marks]}</>}
            </span>
          </dt>
          <dd class="small">
            <Prose text={field.description} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
