import { anchorOf, ERROR_CODE, type Field } from './reference.ts';

/** Shows a text of the reference. Text between backticks appears as code. */
export function Prose({ text }: { readonly text: string }) {
  return <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>;
}

/** Shows a type. If the type mentions a shared object or the error codes, the text is a link to them. */
export function Type({ type, object }: Pick<Field, 'type' | 'object'>) {
  const named = object ?? (type.includes(ERROR_CODE) ? ERROR_CODE : undefined);
  if (named === undefined) return <Prose text={type} />;
  const [before = '', after = ''] = type.split(named);
  return (
    <>
      <Prose text={before} />
      <a href={`#${anchorOf(named)}`}>{named}</a>
      <Prose text={after} />
    </>
  );
}
