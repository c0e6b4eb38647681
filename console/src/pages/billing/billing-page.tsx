import { useEffect, useState } from 'preact/hooks';
import type { Billing, Key } from '../../../../client/src/index.ts';
import { setQuery, useAddress } from '../../address/address.ts';
import { Failure } from '../../parts/loaded.tsx';
import { useMonth } from '../../parts/month-steps.tsx';
import { Page } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useAnswer } from '../../service/answer.ts';
import { billing, keys, statement } from '../../service/answers.ts';
import { may } from '../../session/role.ts';
import { service } from '../../session/session.ts';
import { BILLING } from '../../words.ts';
import { MonthlyStatement } from './monthly-statement.tsx';

export function BillingPage() {
  const { value: standing } = useAnswer(billing.of());
  const { value: allKeys } = useAnswer(keys.of());
  const { asked } = useMonth();
  const isPaying = useConfirmation(standing);
  if (standing === null) {
    return (
      <Page title={BILLING.absent}>
        <p>{BILLING.absentText}</p>
      </Page>
    );
  }
  return (
    <Page
      title={BILLING.title}
      {...(standing !== undefined && may('subscribe') && { actions: <PaymentButton to={standing.subscription} /> })}
    >
      <Failure of={[billing.of(), keys.of(), standing === undefined ? billing.of() : statement.of(asked)]} />
      {standing !== undefined && (
        <>
          <p>
            <Standing of={standing} allKeys={allKeys} /> {!may('subscribe') && BILLING.onlyOwner}
          </p>
          {isPaying && (
            <p class="notice" role="status">
              {BILLING.confirming}
            </p>
          )}
          <MonthlyStatement />
        </>
      )}
    </Page>
  );
}

const CONFIRMATION_MS = 3_000;

/**
 * Returns whether the person has just paid and the service does not know yet, because the payment provider tells it
 * separately. Until then, asks again every few seconds.
 */
function useConfirmation(standing: Billing | null | undefined): boolean {
  const hasPaid = useAddress().query.get('checkout') === 'done';
  const isPaying = hasPaid && standing?.standing === 'none';
  useEffect(() => {
    if (hasPaid && standing?.standing === 'good') setQuery({ checkout: undefined });
    if (!isPaying) return;
    const timer = setInterval(billing.refresh, CONFIRMATION_MS);
    return () => clearInterval(timer);
  }, [hasPaid, isPaying, standing]);
  return isPaying;
}

interface StandingProps {
  readonly of: Billing;
  /** The tenant's keys, or `undefined` if they are not known. */
  readonly allKeys: readonly Key[] | undefined;
}

/**
 * Says whether billing is in good standing, and what that means. Begins with what the person can act on. Without paid
 * keys, nothing is wrong, and the text is the same as on the status page.
 */
function Standing({ of: { standing, subscription }, allKeys }: StandingProps) {
  const status = BILLING.subscription(subscription?.status);
  if (standing === 'none' && (allKeys === undefined || allKeys.every(({ tier }) => tier === 'free'))) {
    return (
      <>
        <strong>{status}</strong> {allKeys !== undefined && BILLING.onlyFree}
      </>
    );
  }
  const [verdict, means] = standing === 'good' ? [BILLING.good, BILLING.goodMeans] : [BILLING.bad, BILLING.badMeans];
  const [first, second] = subscription === null ? [status, verdict] : [verdict, status];
  return (
    <>
      <strong>{first}</strong> {second} {means}
    </>
  );
}

/** Returns whether a subscription with this status has ended, so that the tenant can start a new one. */
const isOver = (status: string): boolean => status === 'canceled' || status === 'incomplete_expired';

/** A button that leads to the payment provider. There the person starts a subscription or manages the current one. */
function PaymentButton({ to: subscription }: { readonly to: Billing['subscription'] }) {
  const isOpen = subscription !== null && !isOver(subscription.status);
  const [problem, setProblem] = useState<unknown>(undefined);
  const [isBusy, setBusy] = useState(false);
  const go = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setProblem(undefined);
    try {
      const { url } = await (isOpen ? service().openPortal() : service().startCheckout());
      location.assign(url);
    } catch (error) {
      setProblem(error);
      // The service may have found a subscription that the page does not show yet.
      billing.refresh();
    }
    setBusy(false);
  };
  return (
    <>
      <button type="button" class={isOpen ? '' : 'primary'} disabled={isBusy} onClick={() => void go()}>
        {isOpen ? BILLING.portal : BILLING.checkout}
      </button>
      {problem !== undefined && <Problem problem={problem} onRetry={() => void go()} />}
    </>
  );
}
