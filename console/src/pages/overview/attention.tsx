import type { JSX } from 'preact';
import type { UsageLine } from '../../../../client/src/index.ts';
import { Link } from '../../address/link.tsx';
import { PATHS, pathOfApiKey, pathOfKey } from '../../address/paths.ts';
import { daysToExpiry, isUnused } from '../../parts/expiry.ts';
import { Moment } from '../../parts/moment.tsx';
import { Name } from '../../parts/name.tsx';
import { Section } from '../../parts/section.tsx';
import { RestoreButton, ThawButton } from '../../parts/undo.tsx';
import { useAnswer } from '../../service/answer.ts';
import { apiKeys, billing, keys, MOST_ERRORS, recentErrors, usage } from '../../service/answers.ts';
import { BILLING, OVERVIEW, percent } from '../../words.ts';
import { fullestFirst } from './allowance-table.tsx';

const NEAR = 0.8;

/**
 * A list of things about which a person must decide: lapsed billing, failed operations, allowances that are nearly
 * used up, keys that are frozen or pending deletion, and API keys that are not used or expire soon. Renders nothing if
 * the list is empty.
 */
export function Attention({ now }: { readonly now: Date }) {
  const { value: lines = [] } = useAnswer(usage.of(undefined));
  const { value: allKeys = [] } = useAnswer(keys.of());
  const { value: allApiKeys = [] } = useAnswer(apiKeys.of());
  const { value: billed } = useAnswer(billing.of());
  const { value: errors } = useAnswer(recentErrors.of());
  const names = new Map(allKeys.map(({ id, name }) => [id, name]));
  const items: readonly JSX.Element[] = [
    ...(billed?.standing === 'none' && allKeys.some(({ tier }) => tier !== 'free')
      ? [
          <li key="billing">
            {BILLING.bad} {BILLING.badForKeys} <Link to={PATHS.billing}>{BILLING.see}</Link>
          </li>,
        ]
      : []),
    ...(errors !== undefined && errors.count > 0
      ? [
          <li key="errors">
            {OVERVIEW.errors(errors.count, errors.count === MOST_ERRORS)}{' '}
            <Link to={`${PATHS.audit}?result=error&since=${errors.since.toISOString()}`}>{OVERVIEW.seeErrors}</Link>
          </li>,
        ]
      : []),
    ...fullestFirst(lines.filter(isNear)).map(({ key_id, ops, allowance }) => (
      <li key={key_id}>
        <Link to={pathOfKey(key_id)}>
          <Name text={names.get(key_id) ?? key_id} />
        </Link>{' '}
        {OVERVIEW.near(percent(ops, allowance))}
      </li>
    )),
    ...allKeys
      .filter(({ state, frozen_at }) => state === 'active' && frozen_at !== null)
      .map((key) => (
        <li key={key.id}>
          <Link to={pathOfKey(key.id)}>
            <Name text={key.name} />
          </Link>{' '}
          {OVERVIEW.frozen} <ThawButton of={key} inList />
        </li>
      )),
    ...allKeys
      .filter(({ state }) => state === 'pending_deletion')
      .map((key) => (
        <li key={key.id}>
          <Link to={pathOfKey(key.id)}>
            <Name text={key.name} />
          </Link>{' '}
          {OVERVIEW.pending} {key.destroy_after !== null && <Moment time={key.destroy_after} />}{' '}
          <RestoreButton of={key} inList />
        </li>
      )),
    ...allApiKeys.flatMap((apiKey) => {
      const days = daysToExpiry(apiKey, now);
      if (days === undefined) return [];
      return (
        <li key={`${apiKey.id} expires`}>
          <Link to={pathOfApiKey(apiKey.id)}>
            <Name text={apiKey.name} />
          </Link>{' '}
          {days === 0 ? OVERVIEW.expired : OVERVIEW.expires(days)}
        </li>
      );
    }),
    ...allApiKeys
      .filter((apiKey) => isUnused(apiKey, now))
      .map(({ id, name }) => (
        <li key={id}>
          <Link to={pathOfApiKey(id)}>
            <Name text={name} />
          </Link>{' '}
          {OVERVIEW.unused}
        </li>
      )),
  ];
  if (items.length === 0) return null;
  return (
    <Section title={OVERVIEW.attention}>
      <ul class="plain attention">{items}</ul>
    </Section>
  );
}

const isNear = ({ ops, allowance }: UsageLine): boolean => allowance > 0 && ops >= NEAR * allowance;
