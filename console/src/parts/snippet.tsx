import { COMMON } from '../words.ts';
import { CodeBlock } from './code-block.tsx';
import { CopyButton } from './copy.tsx';

/** One way to do something from a program, to be pasted. */
export interface Line {
  readonly with: string;
  readonly text: string;
}

/** Lines to paste, each with a button that copies it. */
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
