import { FairQueue } from '../../shared/base/fair-queue.ts';
import { CREATIONS } from '../../shared/tenancy/places.ts';
import { openBase } from '../compose/base.ts';
import { bindConsole } from '../compose/console.ts';
import { openProcess, serveRoutes } from '../compose/process.ts';

const own = openProcess('console');
serveRoutes(own, bindConsole(openBase(own), new FairQueue(CREATIONS)));
