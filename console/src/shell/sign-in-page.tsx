import { useEffect } from 'preact/hooks';
import { Dial, Mark } from '../parts/drawings.tsx';
import { type SignInReason, signIn } from '../session/session.ts';
import { SHELL, SIGN_IN } from '../words.ts';

interface SignInPageProps {
  readonly why: SignInReason;
  /** Whether the person followed an invitation link. */
  readonly isInvited: boolean;
}

export function SignInPage({ why, isInvited }: SignInPageProps) {
  useEffect(() => {
    document.title = SHELL.product;
  }, []);
  return (
    <div class="entrance">
      <main class="sign-in">
        <Mark />
        <h1>{SHELL.product}</h1>
        {SIGN_IN.why[why] !== '' && (
          <p class="notice neutral" role="status">
            {SIGN_IN.why[why]}
          </p>
        )}
        <p>{SIGN_IN.what}</p>
        {isInvited && <p>{SIGN_IN.invited}</p>}
        <button type="button" class="primary" onClick={() => void signIn()}>
          {SIGN_IN.button}
        </button>
        <section class="small muted" aria-label={SIGN_IN.next}>
          <h2>{SIGN_IN.next}</h2>
          <ol>
            {(isInvited ? SIGN_IN.stepsInvited : SIGN_IN.steps).map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        </section>
      </main>
      <Dial />
    </div>
  );
}
