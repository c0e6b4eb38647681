import { openBase } from '../compose/base.ts';
import { bindBilling } from '../compose/billing.ts';
import { openProcess, serveRoutes } from '../compose/process.ts';

const own = openProcess('billing');
serveRoutes(own, bindBilling(openBase(own)));
