import { loadStripe } from '../../shared/billing/load-stripe.ts';
import { billing } from '../billing/routes.ts';
import { openParts, openPayments, openWebhooks } from '../compose/parts.ts';
import { openProcess, serveGroups } from '../compose/process.ts';

const parts = openParts(openProcess('billing'));
const webhooks = openWebhooks(parts.config);
serveGroups({ ...parts, ...openPayments(parts, loadStripe), webhooks }, billing);
