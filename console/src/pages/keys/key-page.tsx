import { useState } from 'preact/hooks';
import { EncryptionServiceError, type Key } from '../../../../client/src/index.ts';
import { useDialog } from '../../parts/do.ts';
import { EventList } from '../../parts/event-list.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Id } from '../../parts/id.tsx';
import { Loaded, Loading } from '../../parts/loaded.tsx';
import { inWords, Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { Plot } from '../../parts/plot.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Section } from '../../parts/section.tsx';
import { Snippets } from '../../parts/snippet.tsx';
import { KeyState } from '../../parts/state.tsx';
import { waysToEncrypt } from '../../parts/ways.ts';
import { useAnswer } from '../../service/answer.ts';
import { containers, dailyUsage, key, keysChanged, usage } from '../../service/answers.ts';
import { useCurrentPeriod } from '../../service/current-period.ts';
import { service } from '../../session/session.ts';
import { KEYS, OVERVIEW } from '../../words.ts';
import { KeyDialog } from './key-dialogs.tsx';
import { KeyUsers } from './key-users.tsx';
import { VersionLine } from './version-line.tsx';

/** One key: its versions, its operations, who may use it, its audit. */
export function KeyPage({ id }: { readonly id: string }) {
  const { value: subject, problem, ask } = useAnswer(key.of(id));
  if (subject !== undefined && !(problem instanceof EncryptionServiceError && problem.code === 'not_found')) {
    return (
      <>
        {problem !== undefined && <Problem problem={problem} onRetry={() => void ask()} />}
        <KnownKey subject={subject} />
      </>
    );
  }
  if (problem === undefined) return <Loading />;
  return (
    <Page title={KEYS.gone}>
      <p>{KEYS.goneText}</p>
      <Problem problem={problem} onRetry={() => void ask()} />
    </Page>
  );
}

function KnownKey({ subject }: { readonly subject: Key }) {
  const { id, name, tier, state, container_id, created_at, destroy_after } = subject;
  const { open, show, close } = useDialog();
  const period = useCurrentPeriod();
  const { value: places = [] } = useAnswer(containers.of());
  const { value: used } = useAnswer(usage.of(undefined));
  const line = used?.find(({ key_id }) => key_id === id);
  const [events] = useState(() => () => service().readKeyAudit(id, { limit: 20 }));
  return (
    <Page title={name} state={<KeyState state={state} />} actions={<KeyActions subject={subject} show={show} />}>
      {state === 'pending_deletion' && destroy_after !== null && (
        <p class="notice" role="status">
          {KEYS.pendingNotice(inWords(destroy_after, new Date()))} <Moment time={destroy_after} />
        </p>
      )}
      <Facts
        facts={[
          [KEYS.facts.id, <Id key="id" id={id} whole />],
          [KEYS.facts.tier, tier],
          [KEYS.facts.container, places.find((place) => place.id === container_id)?.name ?? ''],
          [KEYS.facts.created, <Moment key="created" time={created_at} />],
          [KEYS.facts.usage, line === undefined ? '' : KEYS.opsOf(line.ops, line.allowance)],
        ]}
      />
      <Section title={KEYS.versions}>
        <VersionLine of={subject} />
      </Section>
      <Section title={KEYS.operations}>
        <Loaded answer={dailyUsage.of(undefined, id)}>
          {(lines) =>
            lines.length === 0 ? (
              <p class="muted">{OVERVIEW.none}</p>
            ) : (
              <Plot lines={lines} period={period} nameOf={() => name} />
            )
          }
        </Loaded>
      </Section>
      <Section title={KEYS.usedBy}>
        <KeyUsers of={subject} />
      </Section>
      <Section title={KEYS.audit}>
        <EventList read={events} filter={`key_id=${id}`} />
      </Section>
      <Section title={KEYS.use}>
        <Snippets lines={waysToEncrypt(id)} />
      </Section>
      <KeyDialog name={open} subject={subject} ops={line?.ops} onClose={close} />
    </Page>
  );
}

interface KeyActionsProps {
  readonly subject: Key;
  readonly show: (dialog: string) => void;
}

function KeyActions({ subject: { id, state }, show }: KeyActionsProps) {
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
  const button = (dialog: string, name: string) => (
    <button type="button" onClick={() => show(dialog)}>
      {name}
    </button>
  );
  return (
    <>
      {state === 'active' ? (
        <>
          {button('rotate', KEYS.rotate)}
          {button('rename', KEYS.rename)}
          {button('delete', KEYS.delete)}
        </>
      ) : (
        <button type="button" class="primary" onClick={() => void restore()}>
          {KEYS.restore}
        </button>
      )}
      <button type="button" class="danger apart" onClick={() => show('destroy')}>
        {KEYS.destroy}
      </button>
      {problem !== undefined && <Problem problem={problem} onRetry={() => void restore()} />}
    </>
  );
}
