import { notFound } from '../../shared/errors.ts';
import { openProcess, serveRoutes } from '../compose/process.ts';
import { answerAlive, liveRoute } from '../health/live.ts';
import { everyRoute } from '../routes.ts';

/*
 * The function for requests that the gateway does not send to any other function: unknown paths, and known paths with
 * an unknown method. It needs only the table of routes. While the service is closed, the gateway sends every request
 * here, and the listener refuses all requests except `GET /health`.
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
