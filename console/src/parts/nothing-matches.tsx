import { setQuery } from '../address/address.ts';
import { COMMON } from '../words.ts';

/** Says that a search found nothing, with a button that clears the search. */
export function NothingMatches() {
  return (
    <p class="row muted">
      {COMMON.nothingMatches}
      <button type="button" onClick={() => setQuery({ q: undefined })}>
        {COMMON.clearSearch}
      </button>
    </p>
  );
}
