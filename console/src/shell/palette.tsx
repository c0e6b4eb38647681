import { useState } from 'preact/hooks';
import { navigate } from '../address/address.ts';
import { PATHS, pathOfApiKey, pathOfKey } from '../address/paths.ts';
import { Dialog } from '../parts/dialog.tsx';
import { tokenStart } from '../parts/id.tsx';
import { Name } from '../parts/name.tsx';
import { useAnswer } from '../service/answer.ts';
import { apiKeys, keys } from '../service/answers.ts';
import { may } from '../session/role.ts';
import { API_KEYS, CONTAINERS, FIREWALLS, KEYS, MEMBERS, NAV, PALETTE } from '../words.ts';

interface Target {
  readonly name: string;
  /** Further text by which the palette finds the target, such as an id. */
  readonly also?: string;
  readonly kind: string;
  readonly to: string;
}

const MOST = 12;
/** The shortest text that the palette looks for in ids. A shorter text would match too many. */
const ID = 4;
const TOKEN = /^(esk_[a-z0-9]+_).*$/;

const PAGES: readonly Target[] = [
  { name: NAV.overview, kind: PALETTE.page, to: PATHS.overview },
  { name: NAV.keys, kind: PALETTE.page, to: PATHS.keys },
  { name: NAV.apiKeys, kind: PALETTE.page, to: PATHS.apiKeys },
  { name: NAV.containers, kind: PALETTE.page, to: PATHS.containers },
  { name: NAV.firewalls, kind: PALETTE.page, to: PATHS.firewalls },
  { name: NAV.members, kind: PALETTE.page, to: PATHS.members },
  { name: NAV.audit, kind: PALETTE.page, to: PATHS.audit },
  { name: NAV.billing, kind: PALETTE.page, to: PATHS.billing },
  { name: NAV.reference, kind: PALETTE.page, to: PATHS.reference },
  { name: NAV.status, kind: PALETTE.page, to: PATHS.status },
];

const CREATIONS: readonly Target[] = [
  { name: KEYS.create, kind: PALETTE.command, to: `${PATHS.keys}?do=create` },
  { name: API_KEYS.create, kind: PALETTE.command, to: `${PATHS.apiKeys}?do=create` },
  { name: CONTAINERS.create, kind: PALETTE.command, to: `${PATHS.containers}?do=create` },
  { name: FIREWALLS.create, kind: PALETTE.command, to: `${PATHS.firewalls}?do=create` },
];

const INVITATION: Target = { name: MEMBERS.invite, kind: PALETTE.command, to: `${PATHS.members}?do=invite` };

/** The command palette. Finds pages, commands, keys and API keys by a part of their name or id. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [wanted, setWanted] = useState('');
  const [chosen, setChosen] = useState(0);
  const { value: allKeys = [] } = useAnswer(keys.of());
  const { value: allApiKeys = [] } = useAnswer(apiKeys.of());
  const targets = [
    ...PAGES,
    ...(may('create') ? CREATIONS : []),
    ...(may('invite') ? [INVITATION] : []),
    ...allKeys.map(({ id, name }) => ({ name, also: id, kind: PALETTE.key, to: pathOfKey(id) })),
    ...allApiKeys.map(({ id, name, prefix }) => ({
      name,
      also: `${tokenStart(prefix)} ${id}`,
      kind: PALETTE.apiKey,
      to: pathOfApiKey(id),
    })),
  ];
  // Of a pasted token, only the part before the secret counts.
  const text = wanted.trim().toLowerCase().replace(TOKEN, '$1');
  const found = targets
    .filter(({ name, also = '' }) => name.toLowerCase().includes(text) || (text.length >= ID && also.includes(text)))
    .slice(0, MOST);
  const go = (to: string | undefined): void => {
    if (to === undefined) return;
    onClose();
    navigate(to);
  };
  const onKey = (event: KeyboardEvent): void => {
    // Enter can end the composition of a character by an input method.
    if (event.isComposing) return;
    if (event.key === 'Enter') go(found[chosen]?.to);
    else if (event.key === 'ArrowDown') setChosen(Math.min(chosen + 1, found.length - 1));
    else if (event.key === 'ArrowUp') setChosen(Math.max(chosen - 1, 0));
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={PALETTE.title} onClose={onClose}>
      <input
        role="combobox"
        aria-label={PALETTE.field}
        placeholder={PALETTE.field}
        aria-expanded="true"
        aria-controls="palette"
        aria-activedescendant={found.length > 0 ? `palette-${chosen}` : undefined}
        autocomplete="off"
        autofocus
        value={wanted}
        onKeyDown={onKey}
        onInput={({ currentTarget }) => {
          setWanted(currentTarget.value);
          setChosen(0);
        }}
      />
      {/* biome-ignore-start lint/a11y/useFocusableInteractive: the field keeps the focus and refers to the option */}
      <div class="palette" role="listbox" id="palette" aria-label={PALETTE.title}>
        {found.map(({ name, kind, to }, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keyboard
          <div role="option" id={`palette-${at}`} key={to} aria-selected={at === chosen} onClick={() => go(to)}>
            <Name text={name} /> <span class="muted small">{kind}</span>
          </div>
        ))}
      </div>
      {/* biome-ignore-end lint/a11y/useFocusableInteractive: the field keeps the focus and refers to the option */}
      {found.length === 0 && <p class="muted">{PALETTE.none}</p>}
    </Dialog>
  );
}
