import { useState } from 'preact/hooks';
import type { ApiKey } from '../../../../client/src/index.ts';
import { navigate } from '../../address/address.ts';
import { Link } from '../../address/link.tsx';
import { PATHS, pathOfFirewall, pathOfKey } from '../../address/paths.ts';
import { ContainerLink } from '../../parts/container-link.tsx';
import { Opener, useDialog } from '../../parts/do.tsx';
import { EventList, SHORT } from '../../parts/event-list.tsx';
import { daysToExpiry } from '../../parts/expiry.ts';
import { Facts } from '../../parts/facts.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Found } from '../../parts/found.tsx';
import { Id } from '../../parts/id.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Name } from '../../parts/name.tsx';
import { Page } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { useAnswer } from '../../service/answer.ts';
import { apiKey, apiKeys, firewalls, keys } from '../../service/answers.ts';
import { service } from '../../session/session.ts';
import { API_KEYS, COMMON, WORKLOADS } from '../../words.ts';
import { EditApiKey } from './edit-api-key.tsx';
import { FederationText } from './federation-text.tsx';

export function ApiKeyPage({ id }: { readonly id: string }) {
  return (
    <Found answer={apiKey.of(id)} kind={API_KEYS} list={PATHS.apiKeys}>
      {(subject) => <KnownApiKey subject={subject} />}
    </Found>
  );
}

function KnownApiKey({ subject }: { readonly subject: ApiKey }) {
  const { id, name, prefix, container_id, allowed_actions, key_ids, firewall_id, created_at, last_used_at } = subject;
  const { expires_at, federations } = subject;
  const days = daysToExpiry(subject, new Date());
  const { open, close } = useDialog();
  const { value: walls = [] } = useAnswer(firewalls.of());
  const { value: allKeys } = useAnswer(keys.of());
  const wall = walls.find((one) => one.id === firewall_id);
  const [changes] = useState(() => () => service().readAudit({ target_id: id, limit: SHORT }));
  const [events] = useState(() => () => service().readAudit({ api_key_id: id, limit: SHORT }));
  const revoke = async (): Promise<void> => {
    await service().revokeApiKey(id);
    navigate(PATHS.apiKeys, { replace: true });
    apiKeys.refresh();
  };
  const actions = (
    <>
      <Opener opens="edit" text={API_KEYS.edit} />
      <Opener opens="revoke" text={API_KEYS.revoke} look="danger apart" />
    </>
  );
  return (
    <Page title={name} actions={actions}>
      {days !== undefined && (
        <p class="notice" role="status">
          {days === 0 ? API_KEYS.hasExpired : API_KEYS.expiresSoon(days)}
        </p>
      )}
      <Facts
        facts={[
          [API_KEYS.facts.actions, allowed_actions.join(', ') || API_KEYS.nothing],
          [
            API_KEYS.facts.keys,
            key_ids === null ? (
              API_KEYS.everyKey
            ) : (
              <span key="keys" class="links">
                {key_ids.map((one) => {
                  const known = allKeys?.find((key) => key.id === one);
                  return known === undefined ? (
                    <span key={one}>
                      {allKeys !== undefined && API_KEYS.destroyedKey} <Id id={one} />
                    </span>
                  ) : (
                    <Link key={one} to={pathOfKey(one)}>
                      <Name text={known.name} />
                    </Link>
                  );
                })}
              </span>
            ),
          ],
          [
            API_KEYS.facts.firewall,
            firewall_id === null ? (
              API_KEYS.noFirewall
            ) : (
              <Link key="wall" to={pathOfFirewall(firewall_id)}>
                <Name text={wall?.name ?? firewall_id} />
              </Link>
            ),
          ],
          [API_KEYS.facts.container, <ContainerLink key="container" id={container_id} />],
          [API_KEYS.facts.expires, expires_at === null ? COMMON.never : <Moment key="expires" time={expires_at} />],
          [
            API_KEYS.facts.workloads,
            federations.length === 0
              ? WORKLOADS.none
              : federations.map((one) => (
                  <p key={JSON.stringify(one)}>
                    <FederationText of={one} />
                  </p>
                )),
          ],
          [API_KEYS.facts.used, last_used_at === null ? COMMON.never : <Moment key="used" time={last_used_at} />],
          [API_KEYS.facts.created, <Moment key="created" time={created_at} />],
          [API_KEYS.facts.prefix, prefix === null ? API_KEYS.noToken : <Id key="prefix" id={prefix} whole />],
          [API_KEYS.facts.id, <Id key="id" id={id} whole />],
        ]}
      />
      <Section title={API_KEYS.audit}>
        <EventList read={events} without="who" filter={`api_key_id=${id}`} />
      </Section>
      <Section title={API_KEYS.changes}>
        <EventList read={changes} without="target" filter={`target_id=${id}`} />
      </Section>
      {open === 'edit' && <EditApiKey of={subject} onClose={close} />}
      {open === 'revoke' && (
        <FormDialog
          title={API_KEYS.revokeTitle(<Name text={name} />)}
          form={`revoke-${id}`}
          submit={API_KEYS.revoke}
          danger
          onSubmit={revoke}
          onClose={close}
        >
          <p>{API_KEYS.revokeText}</p>
          <p>
            {last_used_at === null ? (
              API_KEYS.neverUsed
            ) : (
              <>
                {API_KEYS.wasUsed} <Moment time={last_used_at} />.
              </>
            )}
          </p>
        </FormDialog>
      )}
    </Page>
  );
}
