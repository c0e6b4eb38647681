import { useState } from 'preact/hooks';
import type { ApiKey, Key } from '../../../../client/src/index.ts';
import { Link } from '../../address/link.tsx';
import { pathOfApiKey, pathOfKey } from '../../address/paths.ts';
import { Problem } from '../../parts/problem.tsx';
import { Section } from '../../parts/section.tsx';
import { useAnswer } from '../../service/answer.ts';
import { keysChanged, usage } from '../../service/answers.ts';
import { service } from '../../session/session.ts';
import { KEYS, OVERVIEW, percent } from '../../words.ts';

const DAY_MS = 86_400_000;
const UNUSED_MS = 90 * DAY_MS;
const NEAR = 0.8;

interface AttentionProps {
  readonly keys: readonly Key[] | undefined;
  readonly apiKeys: readonly ApiKey[] | undefined;
  readonly now: Date;
}

/** What wants a look: allowances nearly used, keys pending deletion, API keys that nobody seems to need. */
export function Attention({ keys = [], apiKeys = [], now }: AttentionProps) {
  const { value: lines = [] } = useAnswer(usage.of(undefined));
  const near = lines.filter(({ ops, allowance }) => allowance > 0 && ops >= NEAR * allowance);
  const pending = keys.filter(({ state }) => state === 'pending_deletion');
  const unused = apiKeys.filter((apiKey) => isUnused(apiKey, now));
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  return (
    <div class="columns">
      <Section title={OVERVIEW.near}>
        {near.length === 0 && <p class="muted">{OVERVIEW.noNear}</p>}
        <ul class="plain">
          {near.map(({ key_id, ops, allowance }) => (
            <li key={key_id}>
              <Link to={pathOfKey(key_id)}>{names.get(key_id) ?? key_id}</Link>{' '}
              <span class="figure">{percent(ops, allowance)}</span>
            </li>
          ))}
        </ul>
      </Section>
      <Section title={OVERVIEW.pending}>
        {pending.length === 0 && <p class="muted">{OVERVIEW.noPending}</p>}
        <ul class="plain">
          {pending.map((key) => (
            <PendingKey key={key.id} subject={key} now={now} />
          ))}
        </ul>
      </Section>
      <Section title={OVERVIEW.unused}>
        {unused.length === 0 && <p class="muted">{OVERVIEW.noUnused}</p>}
        <ul class="plain">
          {unused.map(({ id, name }) => (
            <li key={id}>
              <Link to={pathOfApiKey(id)}>{name}</Link>
            </li>
          ))}
        </ul>
      </Section>
    </div>
  );
}

/** Whether an API key was not used for 90 days, or not since it was created that long ago. */
export function isUnused({ created_at, last_used_at }: ApiKey, now: Date): boolean {
  return now.getTime() - (last_used_at ?? created_at).getTime() > UNUSED_MS;
}

function PendingKey({ subject: { id, name, destroy_after }, now }: { readonly subject: Key; readonly now: Date }) {
  const [problem, setProblem] = useState<unknown>(undefined);
  const restore = async (): Promise<void> => {
    setProblem(undefined);
    try {
      await service().restoreKey(id);
    } catch (error) {
      setProblem(error);
    }
    keysChanged();
  };
  const days = destroy_after === null ? 0 : Math.max(0, Math.ceil((destroy_after.getTime() - now.getTime()) / DAY_MS));
  return (
    <li>
      <Link to={pathOfKey(id)}>{name}</Link> <span class="muted">{KEYS.daysLeft(days)}</span>{' '}
      <button type="button" class="small" aria-label={`${KEYS.restore} ${name}`} onClick={() => void restore()}>
        {KEYS.restore}
      </button>
      {problem !== undefined && <Problem problem={problem} onRetry={() => void restore()} />}
    </li>
  );
}
