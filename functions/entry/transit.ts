import { FairQueue } from '../../shared/base/fair-queue.ts';
import { CREATIONS } from '../../shared/tenancy/places.ts';
import { openBase } from '../compose/base.ts';
import { openChanging } from '../compose/changing.ts';
import { openKeyed } from '../compose/keyed.ts';
import { openMetered } from '../compose/metered.ts';
import { openProcess, serveRoutes } from '../compose/process.ts';
import { bindTransit } from '../compose/transit.ts';

const own = openProcess('transit');
const keyed = openKeyed(openBase(own));
serveRoutes(own, bindTransit(openChanging(keyed, new FairQueue(CREATIONS)), openMetered(keyed)));
