import type { IConfiguration, IForbiddenRuleType } from 'dependency-cruiser';

/**
 * The modules of a folder, by layer. A module may import only itself and modules in lower layers. This rule includes
 * imports of types.
 */
type Layers = readonly (readonly string[])[];

/**
 * The layers of each folder that is divided into layers: one line for each layer, lowest first. A module is a folder or
 * a file, named by its path in the folder without `.ts`. Every file must be in a listed module.
 */
export const LAYERS: Readonly<Record<string, Layers>> = {
  shared: [
    ['events'],
    ['base', 'deadlines', 'errors', 'operations', 'run-time', 'tiers'],
    ['workload-issuers'],
    ['config', 'error-advice', 'grpc', 'telemetry', 'transparency'],
    ['store', 'kms'],
    ['tenancy'],
    ['crypto'],
    ['keys'],
    ['audit'],
    ['sealing'],
    ['metering'],
    ['billing'],
    ['auth'],
    ['lifecycle'],
    ['http'],
  ],
  functions: [
    ['preload', 'needs'],
    ['billing', 'console', 'crypto', 'health', 'keys', 'reports', 'scheduled'],
    ['transit'],
    ['router', 'routes'],
    ['framework'],
    ['compose'],
    ['entry', 'local'],
  ],
  emulators: [
    ['base'],
    ['firestore', 'gateway', 'hosting', 'identity', 'kms', 'policy', 'stripe'],
    ['stack'],
    ['start'],
  ],
};

/** The folders with source files, each with the other folders that it may import. */
export const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  shared: [],
  // The code that verifies logs and finds repeated members exists only once. The client's build includes it in the package.
  'client/src': ['shared/transparency', 'shared/base'],
  'client/build': ['client/src'],
  'client/generate': ['client/src', 'shared'],
  console: ['client/src'],
  emulators: [],
  functions: ['shared'],
  operator: ['shared'],
  'docs/.vitepress': [],
  deploy: ['shared', 'functions', 'console', 'operator', 'emulators', 'docs/.vitepress'],
  prose: [],
  bench: ['shared', 'client/src', 'deploy', 'emulators'],
  test: [
    'shared',
    'client/src',
    'console',
    'emulators',
    'functions',
    'operator',
    'deploy',
    'bench',
    'prose',
    'docs/.vitepress',
  ],
  'client/test': ['client/src', 'client/build', 'client/generate', 'shared', 'emulators', 'test'],
};

const OURS = `^(?:${Object.keys(FOLDERS).join('|')})/`;
const DEPLOYED = '^(?:shared|functions|operator)/';
const GROUPS = '^functions/(?!compose/|entry/|local/)[^/]+/';

/** The tests of each operation, beside its route. */
export const CASE_FILES = String.raw`^functions/.*\.test\.ts$`;

/** Packages that only one folder or file of the deployed code may import. */
const ONLY_IMPORTED_BY = {
  '@google-cloud/firestore(?:-api)?': 'shared/store',
  '@google-cloud/functions-framework': 'functions/compose',
  '@google-cloud/kms': 'shared/kms',
  '@opentelemetry/[^/]+': 'shared/telemetry',
  'itty-router': 'functions/router',
  jose: 'shared/auth',
  stripe: 'shared/billing',
  'zod-openapi': 'shared/http',
};

/** Files whose code only computes: it has no input or output. */
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

/** Returns the pattern of a module's files. A module is a folder, or a file by its path without `.ts`. */
export function filesOf(module: string): string {
  return String.raw`^${module}(?:/|\.ts$)`;
}

/** Returns the pattern of a package's files, as dependency-cruiser resolves them. */
function packageFiles(name: string): string {
  return `(?:^|/)node_modules/${name}/`;
}

/** Returns a rule for each module of a folder. */
function layerRules(folder: string, layers: Layers): IForbiddenRuleType[] {
  return layers.flatMap((layer, at) => {
    const below = layers.slice(0, at).flat();
    return layer.map((module) => ({
      name: `${folder}/${module}`,
      severity: 'error',
      comment: `${folder}/${module} imports no other module of ${folder}/ in the same or a higher layer`,
      from: { path: filesOf(`${folder}/${module}`) },
      to: {
        path: `^${folder}/`,
        pathNot: [...[module, ...below].map((known) => filesOf(`${folder}/${known}`))],
      },
    }));
  });
}

/** The rules for imports, including imports of types. `npm run imports` prints each import that breaks a rule. */
const configuration: IConfiguration = {
  forbidden: [
    ...Object.entries(LAYERS).flatMap(([folder, layers]) => layerRules(folder, layers)),
    ...Object.entries(FOLDERS).map(([folder, others]) => ({
      name: `${folder}/`,
      severity: 'error' as const,
      comment: `from the project, ${folder}/ imports only files in ${[folder, ...others].join(', ')}`,
      from: { path: `^${folder}/` },
      to: { path: OURS, pathNot: [folder, ...others].map((known) => `^${known}/`) },
    })),
    {
      name: 'file-cycle',
      severity: 'error',
      comment: 'imports of files form no cycle',
      from: { path: OURS },
      to: { circular: true },
    },
    {
      name: 'folder-cycle',
      severity: 'error',
      comment: 'imports of folders form no cycle',
      scope: 'folder',
      from: { path: OURS.slice(0, -1) },
      to: { circular: true, viaOnly: { pathNot: '^shared$' } },
    },
    {
      name: 'groups-without-store',
      severity: 'error',
      comment: 'routes do not import the store',
      from: { path: GROUPS },
      to: { path: '^shared/store/' },
    },
    {
      name: 'groups-without-packages',
      severity: 'error',
      comment: 'routes import no package except zod and lru-cache',
      from: { path: GROUPS },
      to: { path: packageFiles('[^/]+'), pathNot: ['zod', 'lru-cache'].map(packageFiles) },
    },
    {
      name: 'base-without-packages',
      severity: 'error',
      comment: 'shared/base imports no package except zod and ipaddr.js',
      from: { path: '^shared/base/' },
      to: { path: packageFiles('[^/]+'), pathNot: ['zod', 'ipaddr.js'].map(packageFiles) },
    },
    ...Object.entries(ONLY_IMPORTED_BY).map(([name, importer]) => ({
      name: `importer-of-${name}`,
      severity: 'error' as const,
      comment: `of the deployed code, only ${importer} imports ${name}`,
      from: { path: DEPLOYED, pathNot: filesOf(importer) },
      to: { path: packageFiles(name) },
    })),
    {
      name: 'deployed-dependencies',
      severity: 'error',
      comment: 'deployed code imports only packages that package.json lists under dependencies',
      from: { path: DEPLOYED },
      to: { dependencyTypes: ['npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg', 'npm-unknown', 'unknown'] },
    },
    {
      name: 'transparency-independent',
      severity: 'error',
      comment:
        'other programs can use the code that verifies a log: shared/transparency imports only itself, base64 and node:crypto',
      from: { path: '^shared/transparency/' },
      to: { pathNot: ['^shared/transparency/', String.raw`^shared/base/base64\.ts$`, '^crypto$'] },
    },
    {
      name: 'library-without-node',
      severity: 'error',
      comment: 'the client library runs in browsers: only esk and age-plugin-esk import modules of Node',
      from: { path: '^client/src/', pathNot: '^client/src/(?:cli|age-plugin)/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'library-independent',
      severity: 'error',
      comment:
        'the client library imports no code of the service; only esk does, to verify logs and to read federations',
      from: { path: '^client/src/', pathNot: '^client/src/(?:cli|age-plugin)/' },
      to: { path: '^shared/' },
    },
    {
      name: 'library-packages',
      severity: 'error',
      comment: 'the client library imports only the two packages for the file format',
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
      comment: 'from the project, files that only compute import only other such files, shared/base and types',
      from: { path: PURE.map((file) => `^${file.replaceAll('.', String.raw`\.`)}$`) },
      to: {
        dependencyTypesNot: ['type-only', 'core', 'npm'],
        pathNot: [...PURE.map((file) => `^${file.replaceAll('.', String.raw`\.`)}$`), '^shared/base/'],
      },
    },
  ],
  options: {
    // Imports of types count too: an author must know the imported module.
    tsPreCompilationDeps: true,
    parser: 'tsc',
    doNotFollow: 'node_modules',
    // The case files beside the routes use the tests' code, which no source file may import.
    exclude: CASE_FILES,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};

export default configuration;
