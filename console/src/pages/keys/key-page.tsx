import { useState } from 'preact/hooks';
import type { Key } from '../../../../client/src/index.ts';
import { Link } from '../../address/link.tsx';
import { PATHS } from '../../address/paths.ts';
import { ContainerLink } from '../../parts/container-link.tsx';
import { Opener, useDialog } from '../../parts/do.tsx';
import { EventList, SHORT } from '../../parts/event-list.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Found } from '../../parts/found.tsx';
import { Id } from '../../parts/id.tsx';
import { Known } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { Plot } from '../../parts/plot.tsx';
import { Section } from '../../parts/section.tsx';
import { Snippets } from '../../parts/snippet.tsx';
import { KeyState } from '../../parts/state.tsx';
import { RestoreButton, ThawButton } from '../../parts/undo.tsx';
import { waysToEncrypt } from '../../parts/ways.ts';
import { useAnswer } from '../../service/answer.ts';
import { apiKeys, billing, dailyUsage, key, usage, useCurrentPeriod } from '../../service/answers.ts';
import { service } from '../../session/session.ts';
import { BILLING, KEYS, monthName, OVERVIEW } from '../../words.ts';
import { KeyDialog } from './key-dialogs.tsx';
import { KeyUsers } from './key-users.tsx';
import { VersionLine } from './version-line.tsx';

export function KeyPage({ id }: { readonly id: string }) {
  return (
    <Found answer={key.of(id)} kind={KEYS} list={PATHS.keys} also={[dailyUsage.of(undefined, id), apiKeys.of()]}>
      {(subject) => <KnownKey subject={subject} />}
    </Found>
  );
}

function KnownKey({ subject }: { readonly subject: Key }) {
  const { id, name, tier, state, container_id, created_at, destroy_after, frozen_at } = subject;
  const { open, close } = useDialog();
  const period = useCurrentPeriod();
  const { value: used } = useAnswer(usage.of(undefined));
  const { value: billed } = useAnswer(billing.of());
  const isRefused = billed?.standing === 'none' && tier !== 'free' && state === 'active';
  const line = used?.find(({ key_id }) => key_id === id);
  const [events] = useState(() => () => service().readKeyAudit(id, { limit: SHORT }));
  return (
    <Page title={name} state={<KeyState of={subject} />} actions={<KeyActions subject={subject} />}>
      {state === 'pending_deletion' && destroy_after !== null && (
        <p class="notice" role="status">
          {KEYS.pendingNotice} <Moment time={destroy_after} />.
        </p>
      )}
      {frozen_at !== null && (
        <p class="notice" role="status">
          {KEYS.frozenNotice} <Moment time={frozen_at} />.
        </p>
      )}
      {isRefused && (
        <p class="notice" role="status">
          {BILLING.bad} {BILLING.badForKey} <Link to={PATHS.billing}>{BILLING.see}</Link>
        </p>
      )}
      <Facts
        facts={[
          [KEYS.facts.id, <Id key="id" id={id} whole />],
          [KEYS.facts.tier, tier],
          [KEYS.facts.container, <ContainerLink key="container" id={container_id} />],
          [KEYS.facts.created, <Moment key="created" time={created_at} />],
          [KEYS.facts.usage, line === undefined ? '' : KEYS.opsOfMonth(line.ops, line.allowance)],
        ]}
      />
      <Section title={KEYS.versions}>
        <VersionLine of={subject} />
      </Section>
      <Section title={KEYS.operations}>
        <Known answer={dailyUsage.of(undefined, id)}>
          {(lines) =>
            lines.length === 0 ? (
              <p class="muted">{OVERVIEW.none(monthName(period))}</p>
            ) : (
              <Plot lines={lines} period={period} nameOf={() => name} isOneKey />
            )
          }
        </Known>
      </Section>
      <Section title={KEYS.usedBy}>
        <KeyUsers of={subject} />
      </Section>
      {state === 'active' && frozen_at === null && (
        <Section title={KEYS.use}>
          <Snippets lines={waysToEncrypt(id)} />
        </Section>
      )}
      <Section title={KEYS.audit}>
        <EventList read={events} without="target" filter={`key_id=${id}`} />
      </Section>
      <KeyDialog name={open} subject={subject} ops={line?.ops} onClose={close} />
    </Page>
  );
}

function KeyActions({ subject }: { readonly subject: Key }) {
  return (
    <>
      {subject.state === 'active' ? (
        <>
          {subject.frozen_at === null ? <Opener opens="freeze" text={KEYS.freeze} /> : <ThawButton of={subject} />}
          <Opener opens="rotate" text={KEYS.rotate} />
          <Opener opens="rename" text={KEYS.rename} />
          <Opener opens="delete" text={KEYS.delete} />
        </>
      ) : (
        <RestoreButton of={subject} />
      )}
      <Opener opens="destroy" text={KEYS.destroy} look="danger apart" />
    </>
  );
}
