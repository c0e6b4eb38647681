import { loadStripe } from '../../shared/billing/load-stripe.ts';
import { openStore } from '../../shared/store/open-store.ts';
import { openPayments } from '../compose/parts.ts';
import { openProcess, serveJob } from '../compose/process.ts';
import { closeMonth } from '../scheduled/close-month.ts';

const own = openProcess('close-month');
const parts = { ...own, store: openStore(own.config) };
serveJob({ ...parts, ...openPayments(parts, loadStripe) }, closeMonth);
