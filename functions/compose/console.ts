import type { FairQueue } from '../../shared/base/fair-queue.ts';
import { type BoundRoute, bind } from '../../shared/http/route.ts';
import { consoleRoutes } from '../console/routes.ts';
import type { Base } from './base.ts';

/** The routes of `console`, none where no identity provider is configured. */
export function bindConsole(base: Base, creations: FairQueue): BoundRoute[] {
  const { identity } = base.config;
  return identity === undefined ? [] : bind(consoleRoutes, { ...base, creations, signIn: identity });
}
