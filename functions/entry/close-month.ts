import { closeMonths } from '../../shared/billing/close-month.ts';
import { openStore } from '../../shared/store/open-store.ts';
import { openClosing } from '../compose/closing.ts';
import { openProcess, serveJob } from '../compose/process.ts';

const own = openProcess('close-month');
const needs = openClosing(own, openStore(own.config));
serveJob(own, () => closeMonths(needs));
