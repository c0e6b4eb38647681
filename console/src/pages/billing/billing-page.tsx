import { useState } from 'preact/hooks';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { billing } from '../../service/answers.ts';
import { service } from '../../session/session.ts';
import { BILLING } from '../../words.ts';
import { MonthlyStatement } from './monthly-statement.tsx';

/** The standing and what it means, and the statement of any month. */
export function BillingPage() {
  return (
    <Loaded answer={billing.of()}>
      {(standing) =>
        standing === null ? (
          <Page title={BILLING.absent}>
            <p>{BILLING.absentText}</p>
          </Page>
        ) : (
          <Page
            title={BILLING.title}
            actions={<Door isOpen={standing.subscription !== null && !isOver(standing.subscription.status)} />}
          >
            <p>
              <strong>{standing.standing === 'good' ? BILLING.good : BILLING.bad}</strong>{' '}
              {standing.standing === 'good' ? BILLING.goodMeans : BILLING.badMeans}{' '}
              {standing.subscription === null
                ? BILLING.noSubscription
                : BILLING.subscription(standing.subscription.status)}
            </p>
            <MonthlyStatement />
          </Page>
        )
      }
    </Loaded>
  );
}

/** Whether a subscription of that status is over, so that another one can be begun. */
const isOver = (status: string): boolean => status === 'canceled' || status === 'incomplete_expired';

/** Leads to the payment provider: to subscribe, or to change the subscription there is. */
function Door({ isOpen }: { readonly isOpen: boolean }) {
  const [problem, setProblem] = useState<unknown>(undefined);
  const go = async (): Promise<void> => {
    setProblem(undefined);
    try {
      const { url } = await (isOpen ? service().openPortal() : service().startCheckout());
      location.assign(url);
    } catch (error) {
      setProblem(error);
    }
  };
  return (
    <>
      <button type="button" class={isOpen ? '' : 'primary'} onClick={() => void go()}>
        {isOpen ? BILLING.portal : BILLING.checkout}
      </button>
      {problem !== undefined && <Problem problem={problem} onRetry={() => void go()} />}
    </>
  );
}
