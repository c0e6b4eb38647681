import { useEffect, useState } from 'preact/hooks';
import { CodeBlock } from '../../parts/code-block.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Snippets } from '../../parts/snippet.tsx';
import { REFERENCE, WAYS } from '../../words.ts';
import { FieldList } from './field-list.tsx';
import { Prose, Type } from './inline.tsx';
import type { Operation } from './reference.ts';

interface OperationProps {
  readonly operation: Operation;
  readonly own: Own;
  /** Whether the fragment of the address is the id of this operation. */
  readonly isNamed: boolean;
}

export function OperationDetails({ operation, own, isNamed }: OperationProps) {
  const { id, title, methods, path } = operation;
  const [isOpen, setOpen] = useState(isNamed);
  useEffect(() => {
    if (isNamed) setOpen(true);
  }, [isNamed]);
  return (
    <details id={id} open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <h3>{title}</h3>
        <code>
          {methods.join(' | ')} {path}
        </code>
      </summary>
      {isOpen && <Inside operation={operation} own={own} />}
    </details>
  );
}

function Inside({ operation, own }: Omit<OperationProps, 'isNamed'>) {
  const { id, description, credential, audited, parameters, body, bodyNote, answer, codes, curl, library } = operation;
  const lines = [
    ...(curl === undefined ? [] : [{ with: WAYS.curl, text: fillShell(curl, own) }]),
    ...(library === undefined ? [] : [{ with: WAYS.library, text: fillLibrary(library, own) }]),
  ];
  return (
    <div class="reference-inside">
      <p>
        <Prose text={description} />
      </p>
      <Facts
        facts={[
          [REFERENCE.credential, <Prose key="credential" text={credential} />],
          ...(audited === undefined ? [] : [[REFERENCE.audited, <code key="audited">{audited}</code>] as const]),
          [
            REFERENCE.answers,
            <>
              <code>{answer.status}</code>, <Type {...answer} />
            </>,
          ],
          ...(codes.length === 0
            ? []
            : [
                [
                  REFERENCE.errors,
                  <span key="errors" class="links">
                    {codes.map(({ status, code }) => (
                      <span key={code}>
                        {status} <a href={`#${code}`}>{code}</a>
                      </span>
                    ))}
                  </span>,
                ] as const,
              ]),
          [REFERENCE.link, <a key="link" href={`#${id}`}>{`#${id}`}</a>],
        ]}
      />
      <Snippets lines={lines} />
      {parameters.length > 0 && (
        <>
          <h4>{REFERENCE.parameters}</h4>
          <FieldList fields={parameters} />
        </>
      )}
      {body.length > 0 && (
        <>
          <h4>{REFERENCE.body}</h4>
          <FieldList fields={body} marks="required" />
        </>
      )}
      {bodyNote !== undefined && (
        <p>
          <Prose text={bodyNote} />
        </p>
      )}
      {answer.fields.length > 0 && (
        <>
          <h4>{REFERENCE.answer}</h4>
          <FieldList fields={answer.fields} marks="optional" />
          {answer.example !== undefined && <CodeBlock label={REFERENCE.example} text={answer.example} />}
        </>
      )}
    </div>
  );
}

/** Values to show in the examples: the service's base URL, and one of the person's keys if there is one. */
interface Own {
  readonly url: string;
  readonly key: { readonly id: string; readonly name: string } | undefined;
}

/** Returns a shell example in which values of the person replace the variables. */
function fillShell(example: string, { url, key }: Own): string {
  const filled = example.replaceAll(/\$BASE\b/g, url);
  if (key === undefined) return filled;
  return filled.replaceAll(/\$KEY_ID\b/g, key.id).replaceAll(/\$NAME\b/g, () => encodeURIComponent(key.name));
}

/** Returns a library example in which the id of the person's key replaces `KEY_ID`. */
function fillLibrary(example: string, { key }: Own): string {
  return key === undefined ? example : example.replaceAll(/\bKEY_ID\b/g, `'${key.id}'`);
}
