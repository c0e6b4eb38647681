import type { ApiKey, Key } from '../../../../client/src/index.ts';
import { Section } from '../../parts/section.tsx';
import { type Line, Snippets } from '../../parts/snippet.tsx';
import { waysToCreateApiKey, waysToCreateKey, waysToEncrypt } from '../../parts/ways.ts';
import { OVERVIEW } from '../../words.ts';

interface FirstStepsProps {
  readonly keys: readonly Key[];
  readonly apiKeys: readonly ApiKey[];
  readonly hasOperated: boolean;
}

/** A key, an API key, an operation: each with its lines, and ticked off when it is done. */
export function FirstSteps({ keys, apiKeys, hasOperated }: FirstStepsProps) {
  const { steps } = OVERVIEW;
  const encrypts = apiKeys.some(({ allowed_actions }) => allowed_actions.includes('encrypt'));
  const all: readonly { readonly title: string; readonly isDone: boolean; readonly lines: Line[] }[] = [
    { title: steps.key, isDone: keys.length > 0, lines: waysToCreateKey() },
    { title: steps.apiKey, isDone: encrypts, lines: waysToCreateApiKey() },
    { title: steps.operation, isDone: hasOperated, lines: waysToEncrypt(keys[0]?.id ?? 'KEY') },
  ];
  const next = all.findIndex(({ isDone }) => !isDone);
  return (
    <Section title={OVERVIEW.start}>
      <ol class="steps">
        {all.map(({ title, isDone, lines }, at) => (
          <li key={title} class={isDone ? 'is-done' : ''}>
            <details open={at === next}>
              <summary>
                {title} <span class="muted small">{isDone ? `✓ ${OVERVIEW.done}` : OVERVIEW.toDo}</span>
              </summary>
              <Snippets lines={lines} />
            </details>
          </li>
        ))}
      </ol>
    </Section>
  );
}
