import type { Key } from '../../../client/src/index.ts';
import { KEYS } from '../words.ts';

type Shown = keyof typeof KEYS.states;

const ICONS: Readonly<Record<Shown, string>> = {
  active: 'm3 8.5 3.5 3.5L13 4.5',
  pending_deletion: 'M8 2.5a5.5 5.5 0 1 0 .01 0M8 5v3.5l2 1.5',
  frozen: 'M8 2v12M2.8 5l10.4 6M13.2 5 2.8 11',
};

/** Shows whether a key can be used. A key pending deletion can be frozen too. */
export function KeyState({ of: key }: { readonly of: Pick<Key, 'state' | 'frozen_at'> }) {
  return statesOf(key).map((state) => (
    <span key={state} class={`state ${state}`}>
      <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
        <path d={ICONS[state]} />
      </svg>
      {KEYS.states[state]}
    </span>
  ));
}

function statesOf({ state, frozen_at }: Pick<Key, 'state' | 'frozen_at'>): readonly Shown[] {
  if (frozen_at === null) return [state];
  return state === 'active' ? ['frozen'] : [state, 'frozen'];
}
