import type { Federation } from '../../../../client/src/index.ts';
import { Name } from '../../parts/name.tsx';

/** A federation as text: the issuer, and each claim with its value. */
export function FederationText({ of: { issuer, claims } }: { readonly of: Federation }) {
  return (
    <span class="name">
      <Name text={issuer} />
      {Object.entries(claims).map(([name, value]) => (
        <span key={name}>
          <br />
          <code>
            <Name text={`${name} = ${JSON.stringify(value)}`} />
          </code>
        </span>
      ))}
    </span>
  );
}
