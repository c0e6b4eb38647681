import { COMMON } from '../words.ts';
import { CodeBlock } from './code-block.tsx';
import { CopyButton } from './copy.tsx';

/** Text to paste. `with` names the program or the library that it is for. */
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
