import { notFound } from '../../shared/errors.ts';
import { openProcess, serveRoutes } from '../compose/process.ts';
import { answerAlive, liveRoute } from '../health/live.ts';
import { everyRoute } from '../routes.ts';

/*
 * The function for all requests that the gateway sends to no other: unknown paths, and known paths with another
 * method. It needs only the table of routes. While the service is closed, every request comes here, and the listener
 * refuses all except `GET /health`.
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
