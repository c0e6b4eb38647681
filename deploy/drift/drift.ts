import { z } from 'zod';
import type { Deployment } from '../deployment.ts';
import { gcloud } from '../step.ts';
import { compareBindings } from './bindings.ts';
import { compare, type Difference } from './compare.ts';
import { compareBalancer } from './kinds/balancer.ts';
import { compareBudget } from './kinds/budget.ts';
import { compareConsole, compareConsoleFiles, compareRules } from './kinds/firebase.ts';
import { compareFunctions } from './kinds/functions.ts';
import { compareGateway, readGateway } from './kinds/gateway.ts';
import { compareKeys, compareSecrets } from './kinds/keys.ts';
import { compareAlerts, compareMetrics } from './kinds/monitoring.ts';
import { compareAccounts, compareApis, compareDataAccess, compareRoles } from './kinds/project.ts';
import { compareSchedules } from './kinds/schedules.ts';
import { compareStore } from './kinds/store.ts';
import type { Ask, Comparison, Context } from './resource.ts';

/** The comparisons, in the order of the plan. */
const KINDS: readonly ((context: Context) => Comparison)[] = [
  ...[
    compareApis,
    compareDataAccess,
    compareAccounts,
    compareRoles,
    compareStore,
    compareRules,
    compareKeys,
    compareSecrets,
    compareBalancer,
    compareBindings,
  ],
  ...[
    compareMetrics,
    compareFunctions,
    compareGateway,
    compareSchedules,
    compareAlerts,
    compareBudget,
    compareConsole,
    compareConsoleFiles,
  ],
];

const enabledApis = z.array(z.object({ config: z.object({ name: z.string() }) }));

/** Reads what all comparisons need. */
export function readContext(
  deployment: Deployment,
  ask: Ask,
  codeOf: Context['codeOf'] = () => undefined,
  consoleFolder?: string,
): Context {
  const enabled = new Set(ask(gcloud('services', 'list', '--enabled'), enabledApis).map(({ config }) => config.name));
  const isEnabled = (api: string) => enabled.has(`${api}.googleapis.com`);
  return { deployment, ask, isEnabled, codeOf, consoleFolder, ...readGateway({ deployment, ask, isEnabled }) };
}

/** Compares what runs with the deployment file. Changes nothing. */
export function findDrift(context: Context): Difference[] {
  return compareAll(context).flatMap(compare);
}

export function compareAll(context: Context): Comparison[] {
  return KINDS.map((kind) => kind(context));
}
