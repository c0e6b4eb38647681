import type { loadStripe } from '../../shared/billing/load-stripe.ts';
import { Readiness } from '../../shared/http/readiness.ts';
import type { loadKms } from '../../shared/kms/load-kms.ts';
import type { Parts } from '../needs.ts';
import { makeOpenApi } from './open-api.ts';
import { openKms, openParts, openPayments, openSigner, openWebhooks } from './parts.ts';
import type { Process } from './process.ts';

/** Makes all parts, for one process that serves every route. Throws an `Error` if a secret of Stripe is missing. */
export function openEverything(
  own: Process,
  load: { readonly kms: typeof loadKms; readonly stripe: typeof loadStripe },
): Process & Parts {
  const parts = { ...openParts(own), ...openKms(own.config, load.kms) };
  const signer = openSigner(own.config, load.kms);
  return {
    ...parts,
    ...openPayments(parts, load.stripe),
    webhooks: openWebhooks(own.config),
    signer,
    logKey: signer,
    readiness: new Readiness(parts, own.log),
    openApi: makeOpenApi(own.config),
  };
}
