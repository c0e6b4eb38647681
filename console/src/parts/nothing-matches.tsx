import { setQuery } from '../address/address.ts';
import { COMMON } from '../words.ts';

/** Says that the search of a list or page found nothing, with a button that clears the search. */
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
