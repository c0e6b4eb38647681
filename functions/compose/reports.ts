import { type BoundRoute, bind } from '../../shared/http/route.ts';
import { reportsRoutes, sealedLogRoutes } from '../reports/routes.ts';
import type { Base } from './base.ts';
import { openSigner } from './sealing.ts';

/** The routes of `reports`, those of the sealed log where logs are sealed. */
export function bindReports(base: Base): BoundRoute[] {
  const { config } = base;
  const reports = bind(reportsRoutes, base);
  if (config.sealing === undefined) return reports;
  return [...reports, ...bind(sealedLogRoutes, { ...base, signer: openSigner(config, config.sealing) })];
}
