import { anchorOf, ERROR_CODE, type Field } from './reference.ts';

/** A text of the reference. Text between backticks is code. */
export function Prose({ text }: { readonly text: string }) {
  return <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>;
}

/** A type. It links to the shared object or the error codes that it mentions. */
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
