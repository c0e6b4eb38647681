import type { ApiKey, Key } from '../../../../client/src/index.ts';
import { Link } from '../../address/link.tsx';
import { pathOfApiKey } from '../../address/paths.ts';
import { shortened } from '../../parts/id.tsx';
import { Known } from '../../parts/loaded.tsx';
import { useAnswer } from '../../service/answer.ts';
import { apiKeys, firewalls } from '../../service/answers.ts';
import { API_KEYS, COMMON, KEYS } from '../../words.ts';

/** Whether an API key reaches a key at all. */
export function reaches({ container_id, key_ids }: ApiKey, key: Key): boolean {
  return container_id === key.container_id && (key_ids === null || key_ids.includes(key.id));
}

/** The API keys that reach a key, with what they may do and from where. */
export function KeyUsers({ of }: { readonly of: Key }) {
  const { value: walls = [] } = useAnswer(firewalls.of());
  const [apiKeyTitle, actionsTitle, keysTitle, firewallTitle] = KEYS.usedByColumns;
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
              {users.map(({ id, name, allowed_actions, key_ids, firewall_id }) => (
                <tr key={id}>
                  <th scope="row" data-title={apiKeyTitle}>
                    <Link to={pathOfApiKey(id)}>{name}</Link>
                  </th>
                  <td data-title={actionsTitle}>{allowed_actions.join(', ') || COMMON.none}</td>
                  <td data-title={keysTitle}>
                    {key_ids === null ? API_KEYS.everyKey : API_KEYS.onlyKeys(key_ids.length)}
                  </td>
                  <td class="name" data-title={firewallTitle}>
                    {firewall_id === null
                      ? API_KEYS.noFirewall
                      : (walls.find((wall) => wall.id === firewall_id)?.name ?? shortened(firewall_id))}
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
