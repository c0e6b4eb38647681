import { notFound } from '../../shared/errors.ts';
import { openProcess, serveRoutes } from '../compose/process.ts';
import { everyRoute } from '../routes.ts';

/*
 * The function behind the gateway's others: every route goes to its own function, so what comes here is no route, or has a
 * method that its path does not take. It knows the table, and nothing that a route needs.
 */
const own = openProcess('router');
const respond = () => Promise.reject(notFound());
serveRoutes(
  own,
  everyRoute(own.config).map((description) => ({ description, respond })),
);
