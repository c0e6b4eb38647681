import { type BoundRoute, bind } from '../../shared/http/route.ts';
import { KeyNames } from '../../shared/keys/key-names.ts';
import { transitRoutes } from '../transit/routes.ts';
import type { Changing } from './changing.ts';
import type { Metered } from './metered.ts';

/** The routes of `transit`, none where they are not configured. */
export function bindTransit(changing: Changing, metered: Metered): BoundRoute[] {
  if (!changing.config.transit) return [];
  return bind(transitRoutes, { ...changing, ...metered, keyNames: new KeyNames(changing.store) });
}
