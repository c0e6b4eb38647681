import type { Key } from '../../../client/src/index.ts';
import { KEYS } from '../words.ts';

export function KeyState({ state }: { readonly state: Key['state'] }) {
  return (
    <span class={`state ${state}`}>
      <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
        {state === 'active' ? (
          <path d="m3 8.5 3.5 3.5L13 4.5" />
        ) : (
          <path d="M8 2.5a5.5 5.5 0 1 0 .01 0M8 5v3.5l2 1.5" />
        )}
      </svg>
      {KEYS.states[state]}
    </span>
  );
}
