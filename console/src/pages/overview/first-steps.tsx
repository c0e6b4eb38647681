import { useEffect, useState } from 'preact/hooks';
import type { ApiKey, Key } from '../../../../client/src/index.ts';
import { Link } from '../../address/link.tsx';
import { PATHS } from '../../address/paths.ts';
import { Section } from '../../parts/section.tsx';
import { type Line, Snippets } from '../../parts/snippet.tsx';
import { waysToCreateApiKey, waysToCreateKey, waysToEncrypt } from '../../parts/ways.ts';
import { useAnswer } from '../../service/answer.ts';
import { apiKeys, dailyUsage, hasOperated, keys, usage } from '../../service/answers.ts';
import { isNewcomer, keepNewcomer } from '../../session/kept.ts';
import { may } from '../../session/role.ts';
import { currentSession } from '../../session/session.ts';
import { API_KEYS, KEYS, OVERVIEW } from '../../words.ts';

/**
 * How often the page checks whether the person has finished a step. It must check, because most steps happen in another
 * program.
 */
const ASK_MS = 4_000;

/**
 * The first steps of a new tenant. After the last step, the page says once that all steps are done: immediately, or on
 * the next visit if the page was closed.
 */
export function FirstSteps() {
  const { value: operated } = useAnswer(hasOperated.of());
  const { value: allKeys } = useAnswer(keys.of());
  const { value: allApiKeys } = useAnswer(apiKeys.of());
  const tenant = tenantId();
  const [isNew, setNew] = useState(() => isNewcomer(tenant));
  const [isHidden, setHidden] = useState(false);
  useEffect(() => {
    if (operated === undefined) return;
    keepNewcomer(operated ? undefined : tenant);
    if (!operated) setNew(true);
  }, [operated]);
  useEffect(() => {
    if (operated !== false) return;
    const timer = setInterval(() => {
      if (document.visibilityState !== 'visible') return;
      for (const answers of [hasOperated, keys, apiKeys, dailyUsage, usage]) answers.refresh();
    }, ASK_MS);
    return () => clearInterval(timer);
  }, [operated]);
  if (!isNew || isHidden || operated === undefined || allKeys === undefined || allApiKeys === undefined) return null;
  return (
    <Section title={operated ? OVERVIEW.started : OVERVIEW.start}>
      {operated && (
        <p class="row">
          {OVERVIEW.startedText}
          <button type="button" onClick={() => setHidden(true)}>
            {OVERVIEW.hide}
          </button>
        </p>
      )}
      <Steps of={stepsOf(allKeys, allApiKeys, operated)} />
      {may('invite') && (
        <p class="row muted">
          {OVERVIEW.together}
          {isUnnamed() && <Link to={`${PATHS.members}?do=rename`}>{OVERVIEW.nameTenant}</Link>}
          <Link to={`${PATHS.members}?do=invite`}>{OVERVIEW.invite}</Link>
        </p>
      )}
    </Section>
  );
}

function tenantId(): string {
  const session = currentSession();
  return session.state === 'signed-in' ? session.me.tenant.id : '';
}

function isUnnamed(): boolean {
  const session = currentSession();
  return session.state === 'signed-in' && session.me.tenant.name === null;
}

interface Step {
  readonly title: string;
  readonly isDone: boolean;
  /** The page of the console for this step, if there is one. */
  readonly here?: { readonly to: string; readonly text: string };
  readonly lines: Line[];
}

function stepsOf(allKeys: readonly Key[], allApiKeys: readonly ApiKey[], operated: boolean): Step[] {
  const { steps } = OVERVIEW;
  const first = allKeys.find(({ state }) => state === 'active');
  return [
    {
      title: steps.key,
      isDone: operated || allKeys.length > 0,
      here: { to: `${PATHS.keys}?do=create`, text: KEYS.create },
      lines: waysToCreateKey(),
    },
    {
      title: steps.apiKey,
      isDone: operated || allApiKeys.some(({ allowed_actions }) => allowed_actions.includes('encrypt')),
      here: { to: `${PATHS.apiKeys}?do=create&actions=encrypt,decrypt`, text: API_KEYS.create },
      lines: waysToCreateApiKey(),
    },
    { title: steps.operation, isDone: operated, lines: waysToEncrypt(first?.id ?? 'KEY') },
  ];
}

/** A list of steps. Only the next step shows its details. */
function Steps({ of: steps }: { readonly of: readonly Step[] }) {
  const next = steps.findIndex(({ isDone }) => !isDone);
  return (
    <ol class="steps">
      {steps.map(({ title, isDone, here, lines }, at) => (
        <li key={title} class={isDone ? 'is-done' : ''}>
          <details open={at === next}>
            <summary>
              {title}{' '}
              <span class={isDone ? 'tick' : 'muted small'}>{isDone ? `✓ ${OVERVIEW.done}` : OVERVIEW.toDo}</span>
            </summary>
            {here !== undefined && (
              <p class="row">
                <Link to={here.to} {...(at === next && { look: 'primary' as const })}>
                  {here.text}
                </Link>
                {OVERVIEW.fromProgram}
              </p>
            )}
            <Snippets lines={lines} />
          </details>
        </li>
      ))}
    </ol>
  );
}
