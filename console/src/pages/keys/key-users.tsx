import type { ComponentChildren } from 'preact';
import type { ApiKey, Key } from '../../../../client/src/index.ts';
import { Link } from '../../address/link.tsx';
import { PATHS, pathOfApiKey } from '../../address/paths.ts';
import { shortened } from '../../parts/id.tsx';
import { Known } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Name } from '../../parts/name.tsx';
import { useAnswer } from '../../service/answer.ts';
import { apiKeys, firewalls, lastUse } from '../../service/answers.ts';
import { API_KEYS, COMMON, KEYS } from '../../words.ts';

/** The maximum number of API keys for which the table shows the last use. Each of them costs one request. */
const MAX_LAST_USES = 20;

/** Returns whether an API key may use a key. Ignores the API key's actions and firewall. */
function reaches({ container_id, key_ids }: ApiKey, key: Key): boolean {
  return container_id === key.container_id && (key_ids === null || key_ids.includes(key.id));
}

/** A table of the API keys that can use a key. */
export function KeyUsers({ of }: { readonly of: Key }) {
  const { value: walls = [] } = useAnswer(firewalls.of());
  const [apiKeyTitle, actionsTitle, keysTitle, firewallTitle, usedTitle] = KEYS.usedByColumns;
  return (
    <Known answer={apiKeys.of()}>
      {(all) => {
        const users = all.filter((apiKey) => reaches(apiKey, of));
        if (users.length === 0) return <p class="muted">{KEYS.usedByNone}</p>;
        return (
          <table>
            <caption class="unseen">{KEYS.usedBy}</caption>
            <thead>
              <tr>
                {KEYS.usedByColumns.map((title) => (
                  <th key={title} scope="col">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {users.map(({ id, name, allowed_actions, key_ids, firewall_id, last_used_at }, at) => (
                <tr key={id}>
                  <th scope="row" data-title={apiKeyTitle}>
                    <Link to={pathOfApiKey(id)}>
                      <Name text={name} />
                    </Link>
                  </th>
                  <td data-title={actionsTitle}>{allowed_actions.join(', ') || COMMON.none}</td>
                  <td data-title={keysTitle}>
                    {key_ids === null ? API_KEYS.everyKey : API_KEYS.onlyKeys(key_ids.length)}
                  </td>
                  <td class="name" data-title={firewallTitle}>
                    {firewall_id === null ? (
                      API_KEYS.noFirewall
                    ) : (
                      <Name text={walls.find((wall) => wall.id === firewall_id)?.name ?? shortened(firewall_id)} />
                    )}
                  </td>
                  <td data-title={usedTitle}>
                    {last_used_at === null ? (
                      COMMON.never
                    ) : (
                      <LastUse keyId={of.id} apiKeyId={id} isAsked={at < MAX_LAST_USES} />
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        );
      }}
    </Known>
  );
}

interface LastUseProps {
  readonly keyId: string;
  readonly apiKeyId: string;
}

/**
 * Shows when an API key last used the key. If this is not requested, shows only a link to the uses in the audit log.
 */
function LastUse({ isAsked, ...about }: LastUseProps & { readonly isAsked: boolean }) {
  return isAsked ? <KnownLastUse {...about} /> : <Uses {...about}>{KEYS.seeUses}</Uses>;
}

function KnownLastUse({ keyId, apiKeyId }: LastUseProps) {
  const { value, problem } = useAnswer(lastUse.of(keyId, apiKeyId));
  if (value === undefined) {
    return problem === undefined ? (
      <span class="loading muted">{COMMON.loading}</span>
    ) : (
      <span class="muted">{COMMON.unknown}</span>
    );
  }
  if (value === null) return <>{COMMON.never}</>;
  return (
    <Uses keyId={keyId} apiKeyId={apiKeyId}>
      <Moment time={value} />
    </Uses>
  );
}

function Uses({ keyId, apiKeyId, children }: LastUseProps & { readonly children: ComponentChildren }) {
  return <Link to={`${PATHS.audit}?key_id=${keyId}&api_key_id=${apiKeyId}`}>{children}</Link>;
}
