import type { JSX } from 'preact';
import type { ApiKey, Key, UsageLine } from '../../../../client/src/index.ts';
import { Link } from '../../address/link.tsx';
import { pathOfApiKey, pathOfKey } from '../../address/paths.ts';
import { Known } from '../../parts/loaded.tsx';
import { RestoreButton } from '../../parts/restore.tsx';
import { Section } from '../../parts/section.tsx';
import { useAnswer } from '../../service/answer.ts';
import { apiKeys, keys, usage } from '../../service/answers.ts';
import { COMMON, KEYS, OVERVIEW, percent } from '../../words.ts';
import { fullestFirst } from './allowance-table.tsx';

const DAY_MS = 86_400_000;
const UNUSED_MS = 90 * DAY_MS;
const NEAR = 0.8;

/** What wants a look: allowances nearly used, keys pending deletion, API keys that nobody seems to need. */
export function Attention({ now }: { readonly now: Date }) {
  const { value: allKeys = [] } = useAnswer(keys.of());
  const names = new Map(allKeys.map(({ id, name }) => [id, name]));
  return (
    <div class="columns">
      <Section title={OVERVIEW.near}>
        <Known answer={usage.of(undefined)}>
          {(lines) => (
            <Lines
              of={fullestFirst(lines.filter(isNear)).map(({ key_id, ops, allowance }) => (
                <li key={key_id}>
                  <Link to={pathOfKey(key_id)}>{names.get(key_id) ?? key_id}</Link>{' '}
                  <span class="figure">{percent(ops, allowance)}</span>
                </li>
              ))}
            />
          )}
        </Known>
      </Section>
      <Section title={OVERVIEW.pending}>
        <Known answer={keys.of()}>
          {(all) => (
            <Lines
              of={all
                .filter(({ state }) => state === 'pending_deletion')
                .map((key) => (
                  <li key={key.id}>
                    <Link to={pathOfKey(key.id)}>{key.name}</Link>{' '}
                    <span class="muted">{KEYS.daysLeft(daysLeft(key, now))}</span> <RestoreButton of={key} inList />
                  </li>
                ))}
            />
          )}
        </Known>
      </Section>
      <Section title={OVERVIEW.unused}>
        <Known answer={apiKeys.of()}>
          {(all) => (
            <Lines
              of={all
                .filter((apiKey) => isUnused(apiKey, now))
                .map(({ id, name }) => (
                  <li key={id}>
                    <Link to={pathOfApiKey(id)}>{name}</Link>
                  </li>
                ))}
            />
          )}
        </Known>
      </Section>
    </div>
  );
}

/** The lines of a short list, or that it has none. */
function Lines({ of: lines }: { readonly of: readonly JSX.Element[] }) {
  return lines.length === 0 ? <p class="muted">{COMMON.none}</p> : <ul class="plain">{lines}</ul>;
}

const isNear = ({ ops, allowance }: UsageLine): boolean => allowance > 0 && ops >= NEAR * allowance;

/** Whether an API key was not used for 90 days, or not since it was created that long ago. */
export function isUnused({ created_at, last_used_at }: ApiKey, now: Date): boolean {
  return now.getTime() - (last_used_at ?? created_at).getTime() > UNUSED_MS;
}

/** The days, begun ones too, until a key is destroyed. */
function daysLeft({ destroy_after }: Key, now: Date): number {
  return destroy_after === null ? 0 : Math.max(0, Math.ceil((destroy_after.getTime() - now.getTime()) / DAY_MS));
}
