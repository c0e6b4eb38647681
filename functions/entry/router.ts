import { notFound } from '../../shared/errors.ts';
import { openProcess, serveRoutes } from '../compose/process.ts';
import { answerAlive, liveRoute } from '../health/live.ts';
import { everyRoute } from '../routes.ts';

/*
 * The function behind the gateway's others: every route goes to its own function, so what comes here is no route, or has a
 * method that its path does not take. It knows the table, and nothing that a route needs. While the service is closed everything
 * comes here; the listener refuses all of it but `GET /health`, which needs nothing.
 */
const own = openProcess('router');
const refuse = () => Promise.reject(notFound());
serveRoutes(
  own,
  everyRoute(own.config).map((description) => ({
    description,
    respond: description === liveRoute.description ? answerAlive : refuse,
  })),
);
