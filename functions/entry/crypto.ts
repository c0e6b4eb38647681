import { bind } from '../../shared/http/route.ts';
import { openBase } from '../compose/base.ts';
import { openKeyed } from '../compose/keyed.ts';
import { openMetered } from '../compose/metered.ts';
import { openProcess, serveRoutes } from '../compose/process.ts';
import { cryptoRoutes } from '../crypto/routes.ts';

const own = openProcess('crypto');
serveRoutes(own, bind(cryptoRoutes, openMetered(openKeyed(openBase(own)))));
