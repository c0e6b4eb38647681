import { useLayoutEffect, useState } from 'preact/hooks';
import type { Me } from '../../../client/src/index.ts';
import { useAddress } from '../address/address.ts';
import { Name } from '../parts/name.tsx';
import { SHELL } from '../words.ts';
import { CurrentPage } from './current-page.tsx';
import { Navigation } from './navigation.tsx';
import { Palette } from './palette.tsx';

interface FrameProps {
  readonly me: Me;
  /** The tenant from which the person was removed while the console was open, if any. */
  readonly removedFrom: Me['tenant'] | undefined;
}

export function Frame({ me, removedFrom }: FrameProps) {
  const [palette, setPalette] = useState(false);
  const { path } = useAddress();
  // `useEffect` would add the listener later, and miss a key that is pressed as soon as the page shows.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey) || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      setPalette(true);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <div class="frame">
      <a class="skip" href="#page">
        {SHELL.skip}
      </a>
      <Navigation me={me} onSearch={() => setPalette(true)} />
      <main id="page" tabIndex={-1}>
        {removedFrom !== undefined && (
          <p class="notice" role="status">
            {SHELL.removed(<Name text={removedFrom.name ?? SHELL.previousTenant} />)}
          </p>
        )}
        <CurrentPage key={path} path={path} />
      </main>
      {palette && <Palette onClose={() => setPalette(false)} />}
    </div>
  );
}
