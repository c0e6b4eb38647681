import { FairQueue } from '../../shared/base/fair-queue.ts';
import { bind } from '../../shared/http/route.ts';
import { CREATIONS } from '../../shared/tenancy/places.ts';
import { openBase } from '../compose/base.ts';
import { openChanging } from '../compose/changing.ts';
import { openKeyed } from '../compose/keyed.ts';
import { openProcess, serveRoutes } from '../compose/process.ts';
import { keysRoutes } from '../keys/routes.ts';

const own = openProcess('keys');
serveRoutes(own, bind(keysRoutes, openChanging(openKeyed(openBase(own)), new FairQueue(CREATIONS))));
