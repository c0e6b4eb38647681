import { COMMON } from '../words.ts';
import { CodeBlock } from './code-block.tsx';
import { CopyButton } from './copy.tsx';

/** A text that the person can paste. `with` names the program or library that runs it. */
export interface Line {
  readonly with: string;
  readonly text: string;
}

export function Snippets({ lines }: { readonly lines: readonly Line[] }) {
  return (
    <dl class="snippets">
      {lines.map(({ with: program, text }) => (
        <div key={program}>
          <dt>{program}</dt>
          <dd>
            <CodeBlock label={program} text={text} />
            <CopyButton quiet text={text} label={`${COMMON.copyLine}: ${program}`} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
