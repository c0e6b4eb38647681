import { useEffect } from 'preact/hooks';
import { type SignInReason, signIn } from '../session/session.ts';
import { SHELL, SIGN_IN } from '../words.ts';

interface SignInPageProps {
  readonly why: SignInReason;
  /** Whether the person followed the link of an invitation. */
  readonly isInvited: boolean;
}

/** What this is, in a sentence, and one button. */
export function SignInPage({ why, isInvited }: SignInPageProps) {
  useEffect(() => {
    document.title = SHELL.product;
  }, []);
  return (
    <main class="sign-in">
      <h1>{SHELL.product}</h1>
      {SIGN_IN.why[why] !== '' && <p role="status">{SIGN_IN.why[why]}</p>}
      <p>{SIGN_IN.what}</p>
      {isInvited && <p>{SIGN_IN.invited}</p>}
      <button type="button" class="primary" onClick={() => void signIn()}>
        {SIGN_IN.button}
      </button>
    </main>
  );
}
