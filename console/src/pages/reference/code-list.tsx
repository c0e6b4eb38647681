import { Prose } from './inline.tsx';
import type { Code } from './reference.ts';

export function CodeList({ codes }: { readonly codes: readonly Code[] }) {
  return (
    <dl class="reference-fields">
      {codes.map(({ code, status, meaning, action }) => (
        <div key={code} id={code}>
          <dt>
            <code>{code}</code> <span class="small muted">{status}</span>
          </dt>
          <dd class="small">
            <Prose text={`${meaning} ${action}`} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
