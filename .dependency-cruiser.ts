import type { IConfiguration, IForbiddenRuleType } from 'dependency-cruiser';
import { FOLDERS, LAYERS, type Layers } from './layers.ts';

const OURS = `^(?:${Object.keys(FOLDERS).join('|')})/`;
const DEPLOYED = '^(?:shared|functions|operator)/';
const GROUPS = '^functions/(?!compose/|entry/|local/)[^/]+/';

/** It declares types only, and every module may name them. */
const SERVICES = String.raw`^shared/services\.ts$`;

/** Packages that only one folder or file of what is deployed imports. */
const PLACES = {
  '@google-cloud/firestore(?:-api)?': 'shared/store',
  '@google-cloud/functions-framework': 'functions/compose',
  '@google-cloud/kms': 'shared/kms',
  '@opentelemetry/[^/]+': 'shared/telemetry',
  'itty-router': 'functions/router',
  jose: 'shared/auth',
  stripe: 'shared/billing',
  'zod-openapi': 'shared/http',
};

/** Files that compute and nothing else. */
export const PURE = [
  'shared/errors.ts',
  'shared/events.ts',
  'shared/auth/admission.ts',
  'shared/auth/rate-limit.ts',
  'shared/tenancy/token.ts',
  'shared/crypto/fields.ts',
  'shared/crypto/kdf.ts',
  'shared/crypto/limits.ts',
  'shared/crypto/message.ts',
  'shared/http/request-id.ts',
  'shared/tiers.ts',
  'shared/metering/allowance.ts',
  'shared/base/month.ts',
  'shared/operations.ts',
  'shared/tenancy/name.ts',
  'shared/tenancy/networks.ts',
];

/** The pattern of the files of a place: a folder, or a file by its path without `.ts`. */
export function filesOf(place: string): string {
  return String.raw`^${place}(?:/|\.ts$)`;
}

/** The pattern of a package's files, as dependency-cruiser resolves them. */
function packageFiles(name: string): string {
  return `(?:^|/)node_modules/${name}/`;
}

/** A rule for each module of a folder. */
function layerRules(folder: string, layers: Layers): IForbiddenRuleType[] {
  return layers.flatMap((layer, at) => {
    const below = layers.slice(0, at).flat();
    return layer.map((module) => ({
      name: `${folder}/${module}`,
      severity: 'error',
      comment: `${folder}/${module} imports nothing else in its layer of ${folder}/, or above`,
      from: { path: filesOf(`${folder}/${module}`) },
      to: {
        path: `^${folder}/`,
        pathNot: [...[module, ...below].map((known) => filesOf(`${folder}/${known}`)), SERVICES],
      },
    }));
  });
}

/** Who imports whom, types included. `npm run imports` tells each import that breaks a rule. */
const configuration: IConfiguration = {
  forbidden: [
    ...Object.entries(LAYERS).flatMap(([folder, layers]) => layerRules(folder, layers)),
    ...Object.entries(FOLDERS).map(([folder, others]) => ({
      name: `${folder}/`,
      severity: 'error' as const,
      comment: `${folder}/ imports, of the project, itself and ${others.join(', ') || 'nothing else'}`,
      from: { path: `^${folder}/` },
      to: { path: OURS, pathNot: [folder, ...others].map((known) => `^${known}/`) },
    })),
    {
      name: 'file-circle',
      severity: 'error',
      comment: 'no file imports itself in a circle',
      from: { path: OURS },
      to: { circular: true, viaOnly: { pathNot: SERVICES } },
    },
    {
      name: 'folder-circle',
      severity: 'error',
      comment: 'no folder imports itself in a circle',
      scope: 'folder',
      from: { path: OURS.slice(0, -1) },
      to: { circular: true, viaOnly: { pathNot: '^shared$' } },
    },
    {
      name: 'groups-without-store',
      severity: 'error',
      comment: 'a group of functions does not reach the store',
      from: { path: GROUPS },
      to: { path: '^shared/store/' },
    },
    {
      name: 'groups-without-packages',
      severity: 'error',
      comment: 'a group of functions imports no package but zod and lru-cache',
      from: { path: GROUPS },
      to: { path: packageFiles('[^/]+'), pathNot: ['zod', 'lru-cache'].map(packageFiles) },
    },
    {
      name: 'base-without-packages',
      severity: 'error',
      comment: 'shared/base imports no package but zod and ipaddr.js',
      from: { path: '^shared/base/' },
      to: { path: packageFiles('[^/]+'), pathNot: ['zod', 'ipaddr.js'].map(packageFiles) },
    },
    ...Object.entries(PLACES).map(([name, place]) => ({
      name: `place-of-${name}`,
      severity: 'error' as const,
      comment: `of what is deployed, ${place} alone imports ${name}`,
      from: { path: DEPLOYED, pathNot: filesOf(place) },
      to: { path: packageFiles(name) },
    })),
    {
      name: 'deployed-dependencies',
      severity: 'error',
      comment: 'what is deployed imports only packages that package.json lists under dependencies',
      from: { path: DEPLOYED },
      to: { dependencyTypes: ['npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg', 'npm-unknown', 'unknown'] },
    },
    {
      name: 'transparency-alone',
      severity: 'error',
      comment: 'what verifies a log is of use to others: shared/transparency imports itself, base64 and node:crypto',
      from: { path: '^shared/transparency/' },
      to: { pathNot: ['^shared/transparency/', String.raw`^shared/base/base64\.ts$`, '^crypto$'] },
    },
    {
      name: 'library-without-node',
      severity: 'error',
      comment: 'the client library runs in browsers, too: its programs alone import modules of Node',
      from: { path: '^client/src/', pathNot: '^client/src/(?:cli|age-plugin)/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'library-alone',
      severity: 'error',
      comment: 'the client library imports nothing of the service: its programs alone have what verifies a log',
      from: { path: '^client/src/', pathNot: '^client/src/(?:cli|age-plugin)/' },
      to: { path: '^shared/' },
    },
    {
      name: 'library-packages',
      severity: 'error',
      comment: 'the client library imports no package but two of the file format',
      from: { path: '^client/src/', pathNot: '^client/src/(?:cli|age-plugin)/' },
      to: { path: packageFiles('[^/]+'), pathNot: ['@noble/ciphers', '@scure/base'].map(packageFiles) },
    },
    {
      name: 'client-dependencies',
      severity: 'error',
      comment: 'the client imports only packages that its package.json lists under dependencies',
      from: { path: '^client/src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg', 'npm-unknown', 'unknown'] },
    },
    {
      name: 'pure',
      severity: 'error',
      comment: 'what is pure imports only that and shared/base, when the code runs',
      from: { path: PURE.map((file) => `^${file.replaceAll('.', String.raw`\.`)}$`) },
      to: {
        dependencyTypesNot: ['type-only', 'core', 'npm'],
        pathNot: [...PURE.map((file) => `^${file.replaceAll('.', String.raw`\.`)}$`), '^shared/base/'],
      },
    },
  ],
  options: {
    // Types are gone when the code runs; a rule is about what its author must know.
    tsPreCompilationDeps: true,
    parser: 'tsc',
    doNotFollow: 'node_modules',
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};

export default configuration;
